"""The steps that programs are made of, as operations.md and intents.md describe them.

steps = read_steps(root)
steps["dataset.shuffle"].arguments["seed"].kind  # "integer"
"""

import dataclasses
import os
import re

from tools.check_cases import case_files

ROW = re.compile(r"^\| (?!argument \|)(\w+) \| ([^|]+) \| ([^|]*)\|$", re.MULTILINE)
GIVES = re.compile(r"^Gives: (.*?)(?:\.|\n\n|\Z)", re.MULTILINE | re.DOTALL)
TRUE_UNASKED = re.compile(r"\btrue\b")


@dataclasses.dataclass(frozen=True)
class Argument:
    """An argument of a step."""

    kind: str  # of the table of types: integer, name, choice, ...
    optional: bool
    choices: tuple  # of a choice, in the document's order
    meaning: str

    @property
    def unasked(self):
        """Whether a boolean is true where nothing is said."""
        return self.kind == "boolean" and self.optional and bool(TRUE_UNASKED.search(self.meaning))


@dataclasses.dataclass(frozen=True)
class Step:
    """The arguments of a step, and its result."""

    arguments: dict  # name -> Argument, in the document's order
    gives: str  # the document's words

    @property
    def passes_on(self):
        """The argument of the kind that the step gives, as a dataset of which it makes a dataset; None."""
        given = _thing(self.gives)
        for name, argument in self.arguments.items():
            is_value = given == "value" and argument.kind in ("value", "structure")
            if is_value or (given and argument.kind == "name" and _thing(argument.meaning) == given):
                return name
        return None


def _thing(words):
    """What "a dataset whose elements ..." speaks of: dataset."""
    found = re.match(r"(?:a|an|the) (\w+)", words)
    return "value" if found and found[1] == "scalar" else found and found[1]


def _read_argument(kind, meaning):
    kind, optional = re.subn(r"[,;] optional$", "", kind.strip())
    kind, _, choices = kind.partition(": ")
    return Argument(kind, bool(optional), tuple(choices.split(", ")) if choices else (), meaning.strip())


def _read_step(text):
    gives = GIVES.search(text)
    return Step({name: _read_argument(kind, meaning) for name, kind, meaning in ROW.findall(text)}, gives[1])


def read_steps(root):
    """Name of a step -> Step, in the order of the documents."""
    steps = {}
    for path in case_files.OPERATIONS:
        with open(os.path.join(root, path), encoding="utf-8") as stream:
            # Before the first heading, then a name and its text in turn.
            parts = case_files.STEP_HEADING.split(stream.read())
        steps |= {name: _read_step(text) for name, text in zip(parts[1::2], parts[2::2])}
    return steps
