"""Writes compile_commands.json, by which clangd and other tools know how each C++ file is compiled.

    ./bazelw run //tools:compile_commands                       reference and conformance
    ./bazelw run //tools:compile_commands -- //benchmarks/...   other targets

Run it again after a BUILD file has changed. Build once before, so that generated headers are there. Several tests that
are compiled as one file have no entry each: clangd takes that of a similar file. Exit status: 0 written; otherwise that
of Bazel.
"""

import argparse
import json
import os
import subprocess
import sys

from tools import source_tree

OUTPUT = "compile_commands.json"
TARGETS = ("//reference/...", "//conformance/...")
EXTERNAL = "external/"
# Options of g++ that clang does not have.
NOT_OF_CLANG = {"-fno-canonical-system-headers", "-Wno-free-nonheap-object", "-Wno-restrict"}
# Options for what clangd does not write, each with its value, and those for it without one.
OUTPUTS = {"-MF", "-o"}
OUTPUTS_WITHOUT_VALUE = {"-MD"}


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="compile_commands", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("targets", nargs="*", default=TARGETS, metavar="TARGET", help="as Bazel names them")
    return parser.parse_args(arguments)


def bazel(root, *words):
    """What it prints. Errors: subprocess.CalledProcessError."""
    command = [os.path.join(root, "bazelw"), *words]
    return subprocess.run(command, cwd=root, check=True, text=True, stdout=subprocess.PIPE).stdout


def clang_arguments(arguments, external):
    """A command of g++ in Bazel's folder as one of clang in the source tree; `external` has the other repositories."""
    kept = []
    words = iter(arguments)
    for word in words:
        if word in OUTPUTS:
            next(words)
        elif word.startswith(EXTERNAL):
            kept.append(os.path.join(external, word.removeprefix(EXTERNAL)))
        elif word not in NOT_OF_CLANG | OUTPUTS_WITHOUT_VALUE:
            kept.append(word)
    return kept


def entries(actions, root, external):
    """The entries of the database, one per file, sorted. `actions` is what `aquery --output=jsonproto` prints.

    A file that several targets compile has the command of the first.
    """
    found = {}
    for action in actions["actions"]:
        words = action["arguments"]
        file = words[words.index("-c") + 1]
        arguments = clang_arguments(words, external)
        found.setdefault(file, {"directory": root, "file": file, "arguments": arguments})
    return [found[file] for file in sorted(found)]


def main(arguments=None):
    options = parse_arguments(arguments)
    root = source_tree.find_root()
    query = f'mnemonic("CppCompile", {" + ".join(options.targets)})'
    actions = json.loads(bazel(root, "aquery", "--output=jsonproto", "--include_artifacts=false", query))
    external = os.path.join(bazel(root, "info", "output_base").strip(), "external")
    database = entries(actions, root, external)
    path = os.path.join(root, OUTPUT)
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(database, stream, indent=1)
        stream.write("\n")
    print(f"{path}: {len(database)} files")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
