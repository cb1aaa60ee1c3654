"""Makes the wheel: the runner, the reference, all cases, and the testees, gate and reports in Python.

    ./bazelw run //packaging:wheel                        results/wheel/lockstep_suite-VERSION-py3-none-PLATFORM.whl
    ./bazelw run //packaging:wheel -- --output=dist

It needs nothing of the machine that it is installed on but glibc and libstdc++: all other libraries are inside, with
their licences. Programs that need CUDA are left out. Exit status: 0 it is there; 1 it could not be made.
"""

import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile

from command_line import user_paths, version_option
from tools.wheel import licences, program_tree

PLATFORM = "manylinux_2_35_x86_64"
PACKAGE = "lockstep_suite"
FILES = PACKAGE + "/files/lockstep"
TEMPLATES = "tools/wheel/templates"
MAKE_VENV = "third_party/frameworks/make_venv.py"


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="wheel", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    version_option.add(parser)
    parser.add_argument("--output", default="results/wheel", help="folder of the wheel [results/wheel]")
    return parser.parse_args(arguments)


def run(*command, **options):
    """What it prints goes to stderr."""
    subprocess.run(command, check=True, stdout=sys.stderr, **options)


def only_file(pattern):
    (path,) = glob.glob(pattern)
    return path


def write_project(root, project):
    """A source folder of setuptools in `project`, of what Bazel laid out in `root`."""
    left_out = program_tree.copy_tree(root, os.path.join(project, "tree"))
    os.rename(os.path.join(project, "tree", PACKAGE), os.path.join(project, PACKAGE))
    os.renames(os.path.join(project, "tree"), os.path.join(project, FILES))
    for name in ("pyproject.toml", "setup.py"):
        with open(os.path.join(root, TEMPLATES, name + ".txt"), encoding="utf-8") as stream:
            text = stream.read().replace("@VERSION@", version_option.read())
        with open(os.path.join(project, name), "w", encoding="utf-8") as stream:
            stream.write(text)
    return left_out


def make_wheel(python, project, folder):
    """Builds the project with setuptools and copies into the wheel the libraries that its programs need."""
    run(python, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q", "-w", folder + "/plain", project)
    plain = only_file(folder + "/plain/*.whl")
    tools = os.path.dirname(python)
    environment = os.environ | {"PATH": tools + os.pathsep + os.environ["PATH"]}
    run(python, "-m", "auditwheel", "repair", "--plat", PLATFORM, "-w", folder + "/repaired", plain, env=environment)
    return only_file(folder + "/repaired/*.whl")


def add_licences(python, wheel, folder):
    """Into the wheel's own folder of licences: a table, and the copyright file of each bundled library's package."""
    run(python, "-m", "wheel", "unpack", "--dest", folder, wheel)
    unpacked = only_file(folder + "/" + PACKAGE + "-*")
    bundled = os.listdir(os.path.join(unpacked, PACKAGE + ".libs"))
    target = os.path.join(only_file(unpacked + "/*.dist-info"), "licenses")
    os.makedirs(target, exist_ok=True)
    found = licences.of_libraries(bundled)
    for package, (_, copyright_file) in found.items():
        shutil.copyfile(copyright_file, os.path.join(target, package + ".txt"))
    with open(os.path.join(target, "LIBRARIES.md"), "w", encoding="utf-8") as stream:
        stream.write(licences.table(found))
    run(python, "-m", "wheel", "pack", "--dest-dir", folder, unpacked)
    return only_file(folder + "/*.whl")


def main(arguments=None):
    options = parse_arguments(arguments)
    output = user_paths.user_path(options.output)
    root = os.getcwd()
    python = subprocess.run(
        [sys.executable, MAKE_VENV, "packaging"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        left_out = write_project(root, folder + "/project")
        wheel = add_licences(python, make_wheel(python, folder + "/project", folder), folder)
        os.makedirs(output, exist_ok=True)
        path = shutil.move(wheel, os.path.join(output, os.path.basename(wheel)))
    for name in left_out:
        print(f"left out, it needs CUDA: {name}")
    print(f"{path}: {os.path.getsize(path) / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (licences.UnknownLicence, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"[Wheel] {error}")
