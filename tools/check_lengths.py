"""Fails where a file or a function is longer than one can take in at once.

    ./bazelw run //tools:check_lengths
"""
import ast
import os
import re
import sys

from tools import source_tree

LONGEST_FILE = {'.h': 200, '.cc': 400, '.cu': 400, '.py': 400, '.bzl': 400}
LONGEST_FUNCTION = 60
# Path -> why it may be longer.
LONGER = {}

# In clang-format's layout a function at namespace level begins and ends at the line's beginning.
OPENS = re.compile(r'[^\s}#/].*\{$')
NO_FUNCTION = re.compile(r'(?:inline )?(?:namespace|class|struct|enum|union|extern "C")\b')


def cc_functions(lines):
    """(line, length of the body) of each function that is defined at namespace level."""
    start = None
    for number, line in enumerate(lines, 1):
        if OPENS.match(line):
            start = None if NO_FUNCTION.match(line) else number
        elif line.startswith('}') and start:
            yield start, number - start - 1
            start = None


def python_functions(lines):
    for node in ast.walk(ast.parse('\n'.join(lines))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno


def check_file(path, lines):
    suffix = os.path.splitext(path)[1]
    length, limit = len(lines) - 1, LONGEST_FILE[suffix]
    problems = []
    if length > limit:
        problems.append('%s: %d lines, at most %d: split it by what it holds' % (path, length, limit))
    functions = {'.py': python_functions, '.bzl': python_functions}.get(suffix, cc_functions)
    return problems + [
        '%s:%d: a function of %d lines, at most %d' % (path, number, size, LONGEST_FUNCTION)
        for number, size in functions(lines) if size > LONGEST_FUNCTION]


def check(root):
    problems = []
    for path in source_tree.list_files(root, LONGEST_FILE):
        if path not in LONGER:
            problems += check_file(path, source_tree.read_lines(root, path))
    return problems


if __name__ == '__main__':
    sys.exit(source_tree.run(check))
