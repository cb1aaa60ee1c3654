"""A planted bug: one replacement in one file of the reference.

conformance/mutants/planted/losses/loss/<name>.json is compiled in place of reference/losses/loss.cc. It says
what is replaced by what there, or in a header that this file includes, what is wrong then, and which cases
notice.
"""

import dataclasses
import json
import os
import pathlib

FOLDER = "conformance/mutants/planted"


class MutantError(Exception):
    """A mutant that cannot be read or applied."""


@dataclasses.dataclass(frozen=True)
class Mutant:
    name: str
    file: str
    find: str
    replace: str
    states: str
    killed_by: list
    beyond: str = ""

    def apply(self, text):
        """`text` of the file with the bug in it. Errors: MutantError unless `find` occurs there once."""
        count = text.count(self.find)
        if count != 1:
            raise MutantError(
                "[Mutant] %s: wanted its text once in %s, found it %d times" % (self.name, self.file, count)
            )
        return text.replace(self.find, self.replace)


def load(path):
    """Reads one mutant. Errors: MutantError with the file."""
    try:
        with open(path, encoding="utf-8") as stream:
            mutant = Mutant(**json.load(stream))
    except (ValueError, TypeError) as error:
        raise MutantError("[Mutant] %s: %s" % (path, error)) from error
    name = os.path.basename(path)[: -len(".json")]
    if mutant.name != name:
        raise MutantError("[Mutant] %s: wanted the name of its file, got %s" % (path, mutant.name))
    if mutant.file.endswith(".cc") and mutant.file != compiled_source(path):
        raise MutantError(
            "[Mutant] %s: it is in the folder of %s, and changes %s" % (path, compiled_source(path), mutant.file)
        )
    return mutant


def compiled_source(path):
    """The source in whose place the mutant at `path` is compiled."""
    folder = os.path.dirname(path)
    return "reference/%s.cc" % folder[folder.rindex(FOLDER) + len(FOLDER) + 1 :]


def load_all(root):
    """Every mutant below root/conformance/mutants/planted, by name."""
    paths = pathlib.Path(root, FOLDER).rglob("*.json")
    return [load(str(path)) for path in sorted(paths, key=lambda path: path.name)]
