"""What a scaffold writes into the source tree, and the list of what is left to do."""

import os

from tools import placeholder
from tools.check_cases import case_format

TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")


class Refused(Exception):
    """It cannot be written; the text says why, and what to do instead."""


class Contribution:
    """Files below `root`: they are read and changed here, and written together by `save`.

    `paths`: those that were changed, in the order of their first change.
    """

    def __init__(self, root):
        self.root = root
        self._texts = {}
        self._left = []  # functions that give the items of the list, or none
        self.paths = []

    def exists(self, path):
        return path in self._texts or os.path.exists(os.path.join(self.root, path))

    def read(self, path):
        if path not in self._texts:
            with open(os.path.join(self.root, path), encoding="utf-8") as stream:
                return stream.read()
        return self._texts[path]

    def read_json(self, path):
        return case_format.load(self.read(path))

    def write(self, path, text):
        if path not in self.paths:
            self.paths.append(path)
        self._texts[path] = text

    def write_json(self, path, value):
        self.write(path, case_format.dump(value))

    def write_template(self, path, template, **values):
        """A new file by a template, in which {{ name }} stands for a value, and {{ fill }} begins a placeholder."""
        with open(os.path.join(TEMPLATES, template), encoding="utf-8") as stream:
            text = stream.read()
        for name, value in {**values, "fill": placeholder.MARK}.items():
            text = text.replace("{{ %s }}" % name, value)
        self.write(path, text)

    def refuse_existing(self, path):
        if self.exists(path):
            raise Refused("%s is there already: choose another name, or change that file" % path)

    def fill_in(self, path, check):
        """Lists the placeholders of the file; `check` is the command that refuses those that are left."""

        def item():
            places = ["%s:%d  %s" % (path, number, what) for number, what in placeholder.find(self.read(path))]
            return "\n     ".join(["Fill in, until nothing is refused by  " + check, *places]) if places else None

        self._left.append(item)

    def then(self, text, command):
        """Lists something else to do; the command does it or checks it."""
        self._left.append(lambda: "%s\n     %s" % (text, command))

    def left_to_do(self):
        """The items of the list, in the order that they are done in."""
        return [item for item in (make() for make in self._left) if item]

    def save(self):
        for path in self.paths:
            place = os.path.join(self.root, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "w", encoding="utf-8") as stream:
                stream.write(self._texts[path])
