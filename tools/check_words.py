"""Fails on words and marks that do not belong in a public tree.

    ./bazelw run //tools:check_words

Looks, in every text file, for: the path of a checkout or a home; an absolute path whose first
folder not every machine has; a note without its reason; what //conformance:new left to be
filled in; a merge conflict's marks; spaces at a line's end; a missing line end at the file's. In every file: a size
that belongs in no history.
"""

import os
import re
import sys

from tools import placeholder, source_tree

SYSTEM_FOLDERS = (
    "usr",
    "etc",
    "bin",
    "sbin",
    "lib",
    "lib64",
    "tmp",
    "dev",
    "proc",
    "sys",
    "var",
    "opt",
    "run",
    "mnt",
    "path",
    "no",
    "nonexistent",
)
ABSOLUTE_PATH = re.compile(r"""(?:^|[\s"'`=(,])/(?!(?:%s)\b)[A-Za-z_][\w.-]*/[\w.]""" % "|".join(SYSTEM_FOLDERS))
APPENDED = re.compile(r'\+ ["\']/')  # the rest of a path whose beginning is a variable
HOME_PATH = re.compile(r"/(?:home|Users)/[a-z]\w*")
CONFLICT = re.compile(r"(?:<{7}|>{7}) ")
# "TODO: why, and when" is a note to others; without a reason it is one to oneself.
NOTE = re.compile(r"\b(?:FIXME|XXX|HACK)\b|\bTODO\b(?!: \S+ \S+ \S+)")

LARGEST = 1 << 20
# Folder of data that the project ships -> the largest file there.
LARGE_DATA = {"image_datasets/embedded/": 6 << 20}

# Written elsewhere: the licence's text, and files that hold the words this check looks for. Beside them
# go the testdata folders, whose bytes are what some test needs.
OTHERS_TEXT = {"LICENSE", "tools/check_words.py", "tools/placeholder.py", "tools/tree_checks_test.py"}


def names_path(path, line):
    """Whether the line has the path itself, not one that only contains or continues its last name."""
    if path not in line:
        return False
    return bool(re.search(r"(?<![\w/.:~})*-])%s(?![\w-])" % re.escape(path), APPENDED.sub("", line)))


def check_line(line, root):
    """What is wrong with one line, in words."""
    if names_path(root, line) or HOME_PATH.search(line):
        return "names the path of a checkout or a home"
    if ABSOLUTE_PATH.search(APPENDED.sub("", line)):
        return "absolute path: not every machine has this folder"
    if CONFLICT.match(line):
        return "merge conflict"
    if NOTE.search(line):
        return "note without its reason (TODO: what, why and when)"
    if placeholder.MARK in line:
        return "not filled in"
    if line != line.rstrip():
        return "space at the end of the line"
    return None


def check_text(path, text, root):
    lines = text.split("\n")
    problems = []
    for number, line in enumerate(lines, 1):
        problem = check_line(line, root)
        if problem:
            problems.append("%s:%d: %s: %s" % (path, number, problem, line.strip()[:80]))
    if lines[-1]:
        problems.append("%s:%d: no line end at the end of the file" % (path, len(lines)))
    return problems


def check_size(root, path):
    limit = max([size for folder, size in LARGE_DATA.items() if path.startswith(folder)] + [LARGEST])
    size = os.path.getsize(os.path.join(root, path))
    return ["%s: %d bytes, at most %d" % (path, size, limit)] if size > limit else []


def check(root):
    problems = []
    for path in source_tree.list_files(root):
        problems += check_size(root, path)
        if path in OTHERS_TEXT or "/testdata/" in path:
            continue
        with open(os.path.join(root, path), "rb") as stream:
            content = stream.read()
        if b"\0" in content:
            continue  # data, an image
        try:
            problems += check_text(path, content.decode("utf-8"), root)
        except UnicodeDecodeError:
            problems.append("%s: neither UTF-8 text nor data" % path)
    return problems


if __name__ == "__main__":
    sys.exit(source_tree.run(check))
