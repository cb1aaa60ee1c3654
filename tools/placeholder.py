"""Texts that a scaffold leaves to be filled in: //conformance:new writes them, and checks refuse them.

placeholder.fill('its name and version')          # 'FILL IN: its name and version'
placeholder.find('{"name": "FILL IN: its name"}')  # [(1, 'its name')]
"""

import os
import re

MARK = "FILL IN: "
# Ends where its text does: a string of JSON or code, a cell of a table, a line.
PLACEHOLDER = re.compile(re.escape(MARK) + r'([^"|\n]*[^"|\s])')


def fill(what):
    """A text that stands for `what`."""
    return MARK + what


def find(text):
    """[(number of the line, what to fill in)]"""
    return [(number, what) for number, line in enumerate(text.split("\n"), 1) for what in PLACEHOLDER.findall(line)]


def problems(root, paths):
    """A line for each placeholder that is left in these files."""
    found = []
    for path in paths:
        with open(os.path.join(root, path), encoding="utf-8") as stream:
            found += ["%s:%d: not filled in: %s" % (path, number, what) for number, what in find(stream.read())]
    return found
