"""Lets PyTorch's CUDA wheel be imported for its CPU half, without 4 GB of CUDA.

PyTorch publishes one Linux wheel for x86-64, and its libraries name libcudart, cuBLAS,
cuDNN, NCCL and others as needed. For each that is absent this writes a small library
of the same name beside torch's own, in which every function answers 35, CUDA's code
for "no driver". `torch.cuda.is_available()` is then False, and the CPU kernels are
untouched: they are in libtorch_cpu.so. Never use such an environment with a GPU.

  python3 cuda_stand_ins.py VENV/lib/python3.11/site-packages/torch/lib
"""

import argparse
import collections
import pathlib
import re
import subprocess
import tempfile

CUDA_LIBRARY = re.compile(r"lib(cu|nv|nccl)\w*\.so")
CUDA_SYMBOL = re.compile(r"_*(cu|nv|nccl)")
NO_DRIVER = 35


def _run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed_libraries(library):
    """The names of the shared libraries that `library` asks the loader for."""
    return re.findall(r"NEEDED\s+(\S+)", _run("objdump", "-p", str(library)))


def version_owners(library):
    """Maps a symbol version to the library it is required from."""
    owners = {}
    owner = None
    for line in _run("objdump", "-p", str(library)).splitlines():
        if match := re.match(r"\s*required from (\S+):", line):
            owner = match[1]
        elif match := re.match(r"\s+0x\w+ 0x\w+ \d+ (\S+)", line):
            owners[match[1]] = owner
    return owners


def undefined_symbols(library):
    """(name, version or "") of each symbol that `library` expects elsewhere."""
    for line in _run("objdump", "-T", str(library)).splitlines():
        if "*UND*" in line:
            version = re.search(r"\(([^)]*)\)", line)
            yield line.split()[-1], version[1] if version else ""


def missing_symbols(folder):
    """Maps each absent CUDA library to {version: set of symbol names}."""
    present = sorted(folder.glob("*.so*"))
    absent = collections.defaultdict(lambda: collections.defaultdict(set))
    unversioned = set()
    for library in present:
        for name in needed_libraries(library):
            if CUDA_LIBRARY.match(name) and not (folder / name).exists():
                absent[name][""].update()
        owners = version_owners(library)
        for symbol, version in undefined_symbols(library):
            if owners.get(version) in absent:
                absent[owners[version]][version].add(symbol)
            elif not version and CUDA_SYMBOL.match(symbol):
                unversioned.add(symbol)
    # A symbol without a version may come from any library; all of torch's CUDA
    # libraries need the runtime, so it serves there.
    for name in absent:
        if name.startswith("libcudart."):
            absent[name][""] |= unversioned
    return absent


def write_stand_in(path, symbols_by_version):
    """Compiles `path`: each symbol a function that returns NO_DRIVER."""
    names = sorted(set().union(*symbols_by_version.values()))
    source = "".join(f"int {name}(void) {{ return {NO_DRIVER}; }}\n" for name in names)
    versions = "".join(
        f"{version} {{ global: {'; '.join(sorted(symbols))}; }};\n"
        for version, symbols in sorted(symbols_by_version.items())
        if version and symbols
    )
    with tempfile.TemporaryDirectory() as scratch:
        code = pathlib.Path(scratch, "stand_in.c")
        code.write_text(source or "typedef int nothing;\n")
        command = ["gcc", "-shared", "-fPIC", "-fno-builtin", "-w", f"-o{path}"]
        command += [f"-Wl,-soname,{path.name}", str(code)]
        if versions:
            script = pathlib.Path(scratch, "versions.map")
            script.write_text(versions)
            command.append(f"-Wl,--version-script={script}")
        _run(*command)


def write_stand_ins(folder):
    """Writes every absent CUDA library into `folder`; returns their names."""
    absent = missing_symbols(folder)
    for name, symbols_by_version in sorted(absent.items()):
        write_stand_in(folder / name, symbols_by_version)
    return sorted(absent)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="torch/lib of an environment")
    print("\n".join(write_stand_ins(parser.parse_args().folder)))


if __name__ == "__main__":
    main()
