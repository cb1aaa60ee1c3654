"""The page of the scripts, README.md, made of defects.json.

./bazelw run //conformance/defects:readme      # makes it again, after defects.json has changed
"""

import json
import os
import sys

from reports import command, page
from tools import source_tree

FOLDER = "conformance/defects"
DEFECTS = FOLDER + "/defects.json"
PAGE = FOLDER + "/README.md"
TEMPLATE = PAGE + ".j2"


def build(root):
    """The page's text."""
    with open(os.path.join(root, DEFECTS), encoding="utf-8") as stream:
        return page.render(os.path.join(root, TEMPLATE), defects=json.load(stream))


def write(root):
    """Writes the page; returns its path."""
    place = os.path.join(root, PAGE)
    with open(place, "w", encoding="utf-8") as stream:
        stream.write(build(root))
    return place


def main():
    def work():
        print("wrote %s" % write(source_tree.find_root()))

    return command.run(work)


if __name__ == "__main__":
    sys.exit(main())
