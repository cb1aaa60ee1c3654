"""Packs the GPU tests and benchmarks for a machine with a GPU and without Bazel or network.

Examples:
  ./bazelw run //tools/gpu_check:pack -- --output=gpu_check.tar.xz
  ./bazelw run //tools/gpu_check:pack -- --data="$LOCKSTEP_DATA_DIR"      # with the full Fashion-MNIST
  # there, where CUDA's libraries are in /usr/local/cuda or in PyTorch's wheels:
  python3 -m tarfile -e gpu_check.tar.xz && python3 gpu_check/check.py --output=results

What travels: every test tagged `gpu`, the programs and scripts of programs.json, their data, and the shared
libraries that they need, without CUDA's; with --data also the full Fashion-MNIST, as `//image_datasets:fetch` leaves
it, without which the accuracy is not measured; it may also come later, by check.py's --data. check.py beside them
runs them all and writes one folder.
"""

import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

from command_line import version_option
from command_line.user_paths import user_path
from tools import source_tree
from tools.gpu_check import full_data, libraries

LIMIT = 52 * 2**20  # small enough, with the tree, for most ways of copying
TAGGED = r'attr(tags, "[\[ ]%s[,\]]", tests(//...))'
SEVERAL_GPUS = 2  # what a test tagged several_gpus needs
NAME = "gpu_check"
DATA = os.path.join("data", "lockstep")  # where check.py runs programs
# check.py and what it imports.
HERE = os.path.join("tools", "gpu_check")
ENTRY = "check.py"
IMPORTED = (
    "child.py",
    "driver.py",
    "full_data.py",
    "machine.py",
    "outcome.py",
    "places.py",
    "program_runner.py",
    "result_archive.py",
    "run_results.py",
    "summary.py",
    "time_plan.py",
    "verdicts.py",
)
SHARED = (os.path.join("reports", "json_text.py"),)


class PackError(Exception):
    """The package cannot be made; the text says why."""


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="gpu_check:pack", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    version_option.add(parser)
    parser.add_argument("--output", default=NAME + ".tar.xz", help="archive to write [%(default)s]")
    parser.add_argument("--data", help="folder that holds fashion_mnist/ [the package has the embedded subset only]")
    return parser.parse_args(arguments)


def run(root, *command):
    """What the command wrote. Raises PackError."""
    result = subprocess.run(command, check=False, cwd=root, stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise PackError("[gpu_check] failed, see above: %s" % " ".join(command))
    return result.stdout


def binary_path(label):
    """'//reference/a:b' -> 'reference/a/b'."""
    return label.lstrip("/").replace(":", "/")


def data_of(root, binary):
    """The program's path -> the place, of the files that the program reads."""
    data = {}
    with open(os.path.join(root, "bazel-bin", binary + ".runfiles_manifest"), encoding="utf-8") as stream:
        for line in stream:
            name, _, path = line.rstrip("\n").partition(" ")
            inside = name.partition("/")[2]
            if path and inside != binary and name.startswith("lockstep/"):
                data[inside] = path
    return data


def add_check(root, folder):
    """Copies check.py into `folder`, and next to it the packages that it imports."""
    shutil.copy(os.path.join(root, HERE, ENTRY), folder)
    os.makedirs(os.path.join(folder, HERE))
    for name in IMPORTED:
        shutil.copy(os.path.join(root, HERE, name), os.path.join(folder, HERE))
    for path in SHARED:
        os.makedirs(os.path.join(folder, os.path.dirname(path)))
        shutil.copy(os.path.join(root, path), os.path.join(folder, path))
    # Real packages: one of that name on the other machine would precede a namespace package.
    for package in (os.path.dirname(HERE), HERE, *map(os.path.dirname, SHARED)):
        with open(os.path.join(folder, package, "__init__.py"), "w", encoding="utf-8"):
            pass


def find_full_data(given, names):
    """The dataset's files in the given folder; none for None. Raises PackError."""
    if given is None:
        return []
    found, missing = full_data.find(given, names)
    if missing:
        raise PackError("[gpu_check] --data: " + full_data.problem(given, missing))
    return found


def add_full_data(paths, folder):
    """Copies these files to where check.py looks for them."""
    target = os.path.join(folder, full_data.BESIDE, full_data.DATASET)
    for path in paths:
        os.makedirs(target, exist_ok=True)
        shutil.copyfile(path, os.path.join(target, os.path.basename(path)))


class Package:
    """The folder that is packed: bin/, lib/, data/, check.py, manifest.json."""

    def __init__(self, root, folder):
        self._root = root
        self._folder = folder
        self._cuda = set()
        for name in ("bin", "lib", DATA):
            os.makedirs(os.path.join(folder, name))

    def add_program(self, label):
        """Copies a program with its data and libraries. Returns its name in bin/."""
        binary = binary_path(label)
        name = binary.replace("/", ".")
        source = os.path.join(self._root, "bazel-bin", binary)
        self._copy(source, os.path.join("bin", name))
        for inside, path in data_of(self._root, binary).items():
            self._copy(path, os.path.join(DATA, inside))
        found = libraries.of_program(source)
        self._cuda.update(libraries.of_cuda(found))
        for library, path in libraries.to_bring(found).items():
            self._copy(path, os.path.join("lib", library))
        return name

    def add_files(self, pattern):
        """Copies files of the tree for a script, as packages that no other one of the same name hides."""
        found = glob.glob(os.path.join(self._root, pattern))
        if not found:
            raise PackError("[gpu_check] programs.json: no file is named %s" % pattern)
        for path in found:
            inside = os.path.join(DATA, os.path.relpath(path, self._root))
            self._copy(path, inside)
            while (inside := os.path.dirname(inside)) != DATA:
                with open(os.path.join(self._folder, inside, "__init__.py"), "w", encoding="utf-8"):
                    pass

    def _copy(self, source, inside):
        target = os.path.join(self._folder, inside)
        if not os.path.exists(target):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(os.path.realpath(source), target)

    def finish(self, commit, programs, data_files):
        add_check(self._root, self._folder)
        manifest = {
            "commit": commit,
            "cuda_libraries": sorted(self._cuda),
            "data_files": data_files,
            "programs": programs,
        }
        with open(os.path.join(self._folder, "manifest.json"), "w", encoding="utf-8") as stream:
            json.dump(manifest, stream, indent=2)


def load_planned(root):
    """{'tests': {'group': ..., 'seconds': ..., 'folders': [...]}, 'programs': [...]}."""
    with open(os.path.join(root, HERE, "programs.json"), encoding="utf-8") as stream:
        return json.load(stream)


def load_data_files(root):
    """The names of the files of the full data, as they are without .gz."""
    with open(os.path.join(root, "image_datasets", "manifest.json"), encoding="utf-8") as stream:
        files = json.load(stream)["datasets"][full_data.DATASET]["files"]
    return [file["name"] for file in files.values()]


def plan(planned, tests, for_several_gpus):
    """All entries in the order of the run: first the tests without an entry, folder by folder."""
    rule, programs = planned["tests"], planned["programs"]
    own = {program["target"] for program in programs if program.get("test")}

    def place(label):
        """The folder's position; after all others for one that is not named."""
        folders = [i for i, folder in enumerate(rule["folders"]) if label.startswith((folder + "/", folder + ":"))]
        return folders[0] if folders else len(rule["folders"])

    labels = sorted(set(tests) - own, key=lambda label: (place(label), label))
    others = [
        {
            "name": binary_path(label).replace("/", "."),
            "group": rule["group"],
            "target": label,
            "test": True,
            "arguments": [],
            "seconds": rule["seconds"],
        }
        for label in labels
    ]
    return [
        dict(program, gpus=SEVERAL_GPUS) if program.get("target") in for_several_gpus else program
        for program in others + programs
    ]


def build(root, programs):
    targets = {program["target"] for program in programs if "target" in program}
    run(root, "./bazelw", "build", "--strip=always", *sorted(targets))


def compress(folder, output):
    """The strongest preset looks 64 MiB back: most programs share most of their code. The archive is there when it
    is whole, which takes minutes."""
    aside = output + ".part"
    try:
        with tarfile.open(aside, "w:xz", preset=9) as archive:
            archive.add(folder, NAME)
        os.replace(aside, output)
    finally:
        if os.path.exists(aside):
            os.remove(aside)


def assemble(root, programs, data_files, images, commit, output):
    """Writes the archive of what is built. Raises PackError, MissingLibrary."""
    with tempfile.TemporaryDirectory() as folder:
        package = Package(root, folder)
        add_full_data(images, folder)
        packed = []
        for program in programs:
            binary = {"binary": package.add_program(program["target"])} if "target" in program else {}
            for pattern in program.get("files", []):
                package.add_files(pattern)
            packed.append({**program, **binary})
        package.finish(commit, packed, data_files)
        compress(folder, output)


def pack(root, output, data):
    """Writes the archive; returns how many tests and programs are in it. Raises PackError, MissingLibrary."""
    data_files = load_data_files(root)
    images = find_full_data(data, data_files)
    tests = run(root, "./bazelw", "query", TAGGED % "gpu").split()
    if not tests:
        raise PackError("[gpu_check] no test is tagged gpu: is CUDA installed, and switched on?")
    for_several = run(root, "./bazelw", "query", TAGGED % "several_gpus").split()
    programs = plan(load_planned(root), tests, for_several)
    build(root, programs)
    commit = run(root, "git", "describe", "--always", "--dirty", "--abbrev=12").strip()
    assemble(root, programs, data_files, images, commit, output)
    count = sum(1 for program in programs if program.get("test"))
    return count, len(programs) - count


def main(arguments):
    options = parse_arguments(arguments)
    output = user_path(options.output)
    data = None if options.data is None else user_path(options.data)
    try:
        tests, programs = pack(source_tree.find_root(), output, data)
    except (PackError, libraries.MissingLibrary, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    size = os.path.getsize(output)
    print("%s: %d tests, %d programs, %.1f MiB" % (output, tests, programs, size / 2**20))
    if size > LIMIT:
        print(
            "[gpu_check] wanted at most %d MiB%s"
            % (LIMIT / 2**20, "" if data is None else ("; without --data it is less, and check.py takes --data there")),
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
