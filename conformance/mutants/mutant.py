"""A planted bug: one replacement in one file of the reference.

conformance/mutants/<name>.json says what is replaced by what, what is wrong then, and which cases notice.
"""
import dataclasses
import json
import os

FOLDER = 'conformance/mutants'


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

    def apply(self, text):
        """`text` of the file with the bug in it. Errors: MutantError unless `find` stands there once."""
        count = text.count(self.find)
        if count != 1:
            raise MutantError('[Mutant] %s: wanted its text once in %s, found it %d times'
                              % (self.name, self.file, count))
        return text.replace(self.find, self.replace)


def load(path):
    """Reads one mutant. Errors: MutantError with the file."""
    try:
        with open(path, encoding='utf-8') as stream:
            mutant = Mutant(**json.load(stream))
    except (ValueError, TypeError) as error:
        raise MutantError('[Mutant] %s: %s' % (path, error)) from error
    name = os.path.basename(path)[:-len('.json')]
    if mutant.name != name:
        raise MutantError('[Mutant] %s: wanted the name of its file, got %s' % (path, mutant.name))
    return mutant


def load_all(root):
    """Every mutant below root/conformance/mutants, by name."""
    folder = os.path.join(root, FOLDER)
    return [load(os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.endswith('.json')]
