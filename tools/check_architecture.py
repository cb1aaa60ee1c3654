"""Fails where docs/architecture.md, or the table of own kernels in docs/algorithms.md, names what is not there.

    ./bazelw run //tools:check_architecture

The document names a file as `folder/name.cc`, with its path; a name (`DistributeDataset`,
`Strategy::Run`) has to be, word by word, in the file that the document names last before it; a conformance
case (`loss/average/dtype_is_kept`) among the cases. What is none of them, `--help` or a line of code, is not
looked at. The table names every file of `reference/` with vector code.
"""

import os
import re
import sys

from tools import source_tree

DOCUMENT = "docs/architecture.md"
TABLE = "docs/algorithms.md"
TABLE_TITLE = "## Kernels of our own on CPUs"
VECTOR_CODE = "#define HWY_TARGET_INCLUDE"
SPAN = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"[\w./-]+/[\w.-]+\.\w+")
FOLDER = re.compile(r"[\w./-]+/")
NAME = re.compile(r"[A-Z]\w*(?:::~?\w+)*")
CASE = re.compile(r"([a-z_]+/[a-z_]+)/[a-z0-9_]+")


def check_span(root, span, file):
    """What is wrong with a name or path; '' where nothing is."""
    place = os.path.join(root, span)
    if FILE.fullmatch(span):
        return "" if os.path.isfile(place) else "there is no %s" % span
    if FOLDER.fullmatch(span):
        return "" if os.path.isdir(place) else "there is no %s" % span
    case = CASE.fullmatch(span)
    if case:
        topic = "conformance/cases/%s.json" % case.group(1)
        known = os.path.isfile(os.path.join(root, topic)) and any(
            '"id": "%s"' % span in line for line in source_tree.read_lines(root, topic)
        )
        return "" if known else "there is no case %s" % span
    if not NAME.fullmatch(span):
        return ""
    if file is None:
        return "%s stands before any file" % span
    words = set(re.findall(r"\w+", "\n".join(source_tree.read_lines(root, file))))
    missing = [word for word in re.findall(r"\w+", span) if word not in words]
    return "%s has no %s" % (file, ", ".join(missing)) if missing else ""


def check_lines(root, document, lines):
    """Problems of (number, line) pairs of a document, and the files that they name."""
    problems, files = [], []
    for number, line in lines:
        for span in SPAN.findall(line):
            problem = check_span(root, span, files[-1] if files else None)
            if problem:
                problems.append("%s:%d: %s" % (document, number, problem))
            elif FILE.fullmatch(span):
                files.append(span)
    return problems, files


def table_lines(root):
    """Those of the section with the table of own kernels."""
    inside = False
    for number, line in enumerate(source_tree.read_lines(root, TABLE), 1):
        if line.startswith("## "):
            inside = line == TABLE_TITLE
        if inside:
            yield number, line


def check_table(root):
    problems, named = check_lines(root, TABLE, table_lines(root))
    for path in source_tree.list_files(root, (".cc", ".h")):
        if (
            path.startswith("reference/")
            and path not in named
            and any(line.startswith(VECTOR_CODE) for line in source_tree.read_lines(root, path))
        ):
            problems.append("%s: the table of own kernels does not list %s" % (TABLE, path))
    return problems


def check(root):
    lines = enumerate(source_tree.read_lines(root, DOCUMENT), 1)
    return check_lines(root, DOCUMENT, lines)[0] + check_table(root)


if __name__ == "__main__":
    sys.exit(source_tree.run(check))
