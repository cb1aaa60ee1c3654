"""Copies what programs need to run, as Bazel laid it out, into a folder of its own.

Bazel puts the files of a program and of all that it runs beside it, as links into its caches. The copy has files in
their place, without debugging symbols, and none that needs CUDA: the reference on GPUs is built from source.
"""

import os
import shutil
import subprocess

ELF = b"\x7fELF"
CUDA = ("libcublas", "libcudart", "libcudnn", "libnccl")
# Bazel's own, what makes the wheel, and 52 MB that the stored answers and the runner can make again.
LEFT_OUT = ("external", "tools", "conformance/answers/results")


def is_program(path):
    with open(path, "rb") as stream:
        return stream.read(len(ELF)) == ELF


def needs_cuda(path):
    headers = subprocess.run(["objdump", "-p", path], capture_output=True, text=True, check=True).stdout
    needed = [line.split()[1] for line in headers.splitlines() if line.strip().startswith("NEEDED")]
    return any(library.startswith(CUDA) for library in needed)


def list_files(root):
    """Paths from the root, sorted; links to folders are followed."""
    found = []
    for folder, folders, names in os.walk(root, followlinks=True):
        here = os.path.relpath(folder, root)
        paths = {name: os.path.normpath(os.path.join(here, name)) for name in folders}
        folders[:] = [name for name, path in paths.items() if path not in LEFT_OUT]
        folders[:] = [name for name in folders if name != "__pycache__" and not name.endswith(".runfiles")]
        found += [os.path.normpath(os.path.join(here, name)) for name in names]
    return sorted(found)


def starts_python(source, path):
    """Whether it is what Bazel writes beside a program in Python, "a/b" beside "a/b.py", to start it."""
    return "." not in os.path.basename(path) and os.path.exists(os.path.join(source, path + ".py"))


def write_starter(path, target):
    """Starts the same module with the Python that the wheel is installed for."""
    module = path.replace("/", ".")
    with open(target, "w", encoding="utf-8") as stream:
        stream.write(f'#!/bin/sh\nexec "${{LOCKSTEP_PYTHON:-python3}}" -m {module} "$@"\n')


def copy_tree(root, target):
    """Returns what was left out because it needs CUDA, as paths from the root."""
    left_out = []
    for path in list_files(root):
        source = os.path.realpath(os.path.join(root, path))
        if not os.path.isfile(source):
            continue
        compiled = is_program(source)
        if compiled and needs_cuda(source):
            left_out.append(path)
            continue
        copy = os.path.join(target, path)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        if starts_python(root, path):
            write_starter(path, copy)
        else:
            shutil.copyfile(source, copy)
        if compiled:
            subprocess.run(["strip", copy], check=True)
        os.chmod(copy, 0o755 if os.access(source, os.X_OK) else 0o644)
    return left_out
