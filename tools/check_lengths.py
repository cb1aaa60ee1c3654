"""Fails where a file, a function or a folder is too large to read at once.

./bazelw run //tools:check_lengths
"""

import ast
import collections
import os
import re
import sys

from tools import source_tree

LONGEST_FILE = {".h": 250, ".cc": 400, ".cu": 400, ".py": 400, ".bzl": 400}
# A test program has all tests of a topic: another program costs more build time than a longer file.
LONGEST_TEST = 500
LONGEST_FUNCTION = 60
# Of one folder, tests apart.
MOST_SOURCES = 25
SOURCES = (".cc", ".h", ".cu", ".cuh", ".py", ".html", ".js", ".css")
# Path -> why it may be longer.
LONGER: dict[str, str] = {}

# In clang-format's layout a function at namespace level begins and ends at the line's beginning.
OPENS = re.compile(r"[^\s}#/].*\{$")
NO_FUNCTION = re.compile(r'(?:inline )?(?:namespace|class|struct|enum|union|extern "C")\b')


def cc_functions(lines):
    """(line, length of the body) of each function that is defined at namespace level."""
    start = None
    for number, line in enumerate(lines, 1):
        if OPENS.match(line):
            start = None if NO_FUNCTION.match(line) else number
        elif line.startswith("}") and start:
            yield start, number - start - 1
            start = None


def python_functions(lines):
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno


def check_file(path, lines):
    suffix = os.path.splitext(path)[1]
    length = len(lines) - 1
    limit = LONGEST_TEST if is_test(path) else LONGEST_FILE[suffix]
    problems = []
    if length > limit:
        problems.append("%s: %d lines, at most %d: split it by what it holds" % (path, length, limit))
    functions = {".py": python_functions, ".bzl": python_functions}.get(suffix, cc_functions)
    return problems + [
        "%s:%d: a function of %d lines, at most %d" % (path, number, size, LONGEST_FUNCTION)
        for number, size in functions(lines)
        if size > LONGEST_FUNCTION
    ]


def is_test(path):
    return bool(re.search(r"_test\.\w+$", path))


def sources_by_folder(root):
    """Folder -> number of its sources, tests apart."""
    paths = source_tree.list_files(root, SOURCES)
    return collections.Counter(os.path.dirname(path) for path in paths if not is_test(path))


def check_folders(root):
    return [
        "%s: %d sources, at most %d: divide it by what they do" % (folder, count, MOST_SOURCES)
        for folder, count in sorted(sources_by_folder(root).items())
        if count > MOST_SOURCES
    ]


def check(root):
    problems = check_folders(root)
    for path in source_tree.list_files(root, LONGEST_FILE):
        if path not in LONGER:
            problems += check_file(path, source_tree.read_lines(root, path))
    return problems


if __name__ == "__main__":
    sys.exit(source_tree.run(check))
