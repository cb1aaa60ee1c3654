"""Installs the library for CMake and pkg-config: headers, liblockstep.a, LockstepConfig.cmake and lockstep.pc.

    ./bazelw run //packaging:install -- --prefix="$HOME/lockstep"

Then, in a CMakeLists.txt (cmake -DCMAKE_PREFIX_PATH=$HOME/lockstep):

    find_package(Lockstep REQUIRED)
    target_link_libraries(my_training Lockstep::Lockstep)

The library is built without CUDA. It links the system's libraries that it uses (third_party/debian_packages.txt).
Exit status: 0 installed; 1 it could not be written.
"""

import argparse
import os
import shutil
import sys

from command_line import user_paths, version_option

HERE = "tools/install"
INCLUDE = "include/lockstep"
# Template -> its place below the prefix.
PACKAGE_FILES = {
    "LockstepConfig.cmake": "lib/cmake/Lockstep",
    "LockstepConfigVersion.cmake": "lib/cmake/Lockstep",
    "lockstep.pc": "lib/pkgconfig",
}


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="install", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    version_option.add(parser)
    parser.add_argument("--prefix", required=True, help="folder to install to; it may exist")
    return parser.parse_args(arguments)


def read_lines(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read().split()


def copy(source, target):
    """Copies a file and the permission to read it, into folders that may not exist yet."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copyfile(source, target)


def fill_template(text, version, options):
    """A package file. `options`: how to link what the library uses: ["-lfmt", "-pthread"]."""
    values = {"VERSION": version, "OPTIONS": " ".join(options), "OPTIONS_LIST": ";".join(options)}
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text


def install(root, prefix, version):
    """Writes to `prefix` what Bazel built in `root`; returns how many headers there are."""
    folder = os.path.join(root, HERE)
    headers = [path for path in read_lines(f"{folder}/lockstep.headers.txt") if path.startswith("reference/")]
    for path in headers:
        copy(os.path.join(root, path), os.path.join(prefix, INCLUDE, path))
    copy(f"{folder}/liblockstep.a", os.path.join(prefix, "lib/liblockstep.a"))
    copy(os.path.join(root, "LICENSE"), os.path.join(prefix, "share/doc/lockstep/LICENSE"))
    options = read_lines(f"{folder}/lockstep.link_options.txt")
    for name, place in PACKAGE_FILES.items():
        with open(f"{folder}/templates/{name}.txt", encoding="utf-8") as stream:
            text = fill_template(stream.read(), version, options)
        os.makedirs(os.path.join(prefix, place), exist_ok=True)
        with open(os.path.join(prefix, place, name), "w", encoding="utf-8") as stream:
            stream.write(text)
    return len(headers)


def main(arguments):
    options = parse_arguments(arguments)
    prefix = user_paths.user_path(options.prefix)
    root = os.path.dirname(os.path.dirname(os.path.abspath(user_paths.__file__)))
    try:
        count = install(root, prefix, version_option.read())
    except OSError as error:
        print(f"[install] cannot write to {prefix}: {error}", file=sys.stderr)
        return 1
    print(f"installed to {prefix}: liblockstep.a, {count} headers, LockstepConfig.cmake, lockstep.pc")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
