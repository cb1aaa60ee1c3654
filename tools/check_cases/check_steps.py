"""Fails where code names a step of the vocabulary at a place that the checklist of docs/architecture.md leaves out.

    ./bazelw run //tools/check_cases:check_steps

The checklist is the numbered list below **A step of the vocabulary.**: at most five items, each with the files, or
patterns of files (`conformance/cases/*/*.json`), that may contain a step. Code names a step by a text that is its
name and nothing else; comments, documents and tests may name any.
"""

import ast
import re
import sys

from tools import source_tree
from tools.check_cases import case_files

DOCUMENT = "docs/architecture.md"
TITLE = "**A step of the vocabulary.**"
MOST_ITEMS = 5
ITEM = re.compile(r"\d+\. ")
PATTERN = re.compile(r"`([\w.*-]+/[\w./*-]*\.\w+)`")
QUOTED = re.compile(r'"([a-z]+\.[a-z_]+)"')
COMMENT = re.compile(r"(//|#).*")
TEST = re.compile(r"_test\.|_testing\.|/testdata/")

# The suite's own programs and testees, which test the runner and find null cases.
OWN_PROGRAMS = (
    "conformance/runner/probe/",
    "conformance/testees/miniatures/",
    "conformance/testees/python/miniature_testee.py",
    "lockstep_suite/example_testee.py",
    "conformance/answers/",  # what was answered to them
    "tools/check_cases/check_steps.py",  # for the names below
)
# The checks of a program that name steps, and a hint about one.
LANGUAGE = {
    "conformance/less/removal.py": {"program.try", "value.show"},
    "conformance/runner/cases/program.cc": {"gradient.tape", "program.repeat"},
    "conformance/runner/verdicts/explain.cc": {"train.resume"},
    "tools/check_cases/check_cases.py": {"value.show"},
}


def checklist(root):
    """The items of the list, each as one text."""
    items = []
    lines = source_tree.read_lines(root, DOCUMENT)
    first = next((i for i, line in enumerate(lines) if line.startswith(TITLE)), len(lines))
    for line in lines[first + 1 :]:
        if ITEM.match(line):
            items.append(line)
        elif items and line.startswith(" "):
            items[-1] += line
        elif items:
            break
    return items


def as_regex(pattern):
    """A `*` stands for a part of a name, never for a folder more."""
    return re.compile(re.escape(pattern).replace(r"\*", "[^/]*"))


def texts_in(path, text):
    """The texts in a source: all constants of Python, what others quote outside comments."""
    if path.endswith(".py"):
        return {node.value for node in ast.walk(ast.parse(text, path)) if isinstance(node, ast.Constant)}
    return set(QUOTED.findall(text if path.endswith(".json") else COMMENT.sub("", text)))


def read(root, path):
    return "\n".join(source_tree.read_lines(root, path))


def check(root):
    items = checklist(root)
    if not 1 <= len(items) <= MOST_ITEMS:
        return ["%s: a step has %d places, wanted 1 to %d" % (DOCUMENT, len(items), MOST_ITEMS)]
    places = {pattern: as_regex(pattern) for item in items for pattern in PATTERN.findall(item)}
    files = source_tree.list_files(root, (".bzl", ".cc", ".h", ".json", ".md", ".py"))
    problems = [
        "%s: no file is %s" % (DOCUMENT, pattern)
        for pattern, place in places.items()
        if not any(map(place.fullmatch, files))
    ]
    steps = set(case_files.described_steps(root))
    for path in files:
        if (
            path.endswith(".md")
            or TEST.search(path)
            or path.startswith(OWN_PROGRAMS)
            or any(place.fullmatch(path) for place in places.values())
        ):
            continue
        for step in sorted(texts_in(path, read(root, path)) & (steps - LANGUAGE.get(path, set()))):
            problems.append("%s: names the step %s, and is no place of the checklist in %s" % (path, step, DOCUMENT))
    return problems


if __name__ == "__main__":
    sys.exit(source_tree.run(check))
