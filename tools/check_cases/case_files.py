"""The cases of the tree.

for case in case_files.all_cases(root): ...
"""

import os
import re

from tools.check_cases import case_format

FOLDER = "conformance/cases"

# The documents that describe the steps: calls, and intents.
CALLS, INTENTS = OPERATIONS = ("conformance/operations.md", "conformance/intents.md")
STEP_HEADING = re.compile(r"^### `([a-z]+\.[a-z_]+)`$", re.MULTILINE)


def case_files(root):
    """Paths relative to root, sorted; in a test's runfiles they are links."""
    return sorted(
        os.path.relpath(os.path.join(folder, name), root)
        for folder, _, names in os.walk(os.path.join(root, FOLDER))
        for name in names
        if name.endswith(".json")
    )


def all_cases(root):
    """Every case, in the order of the files."""
    for path in case_files(root):
        with open(os.path.join(root, path), encoding="utf-8") as stream:
            yield from case_format.load(stream.read())["cases"]


def described_steps(root):
    """The names of all steps, in the order of the documents."""
    return [step for path in OPERATIONS for step in steps_in(root, path)]


def steps_in(root, path):
    """The names of the steps that one of the documents describes."""
    with open(os.path.join(root, path), encoding="utf-8") as stream:
        return STEP_HEADING.findall(stream.read())


def steps_of(program):
    """The names of a program's steps, those of its blocks included."""
    names = {step["step"] for step in program}
    return names.union(*(steps_of(step["program"]) for step in program if "program" in step))


def conventions_of(expectation):
    """Convention -> choice: those that it is judged for, of `when` or `departs`."""
    return {**expectation.get("when", {}), **expectation.get("departs", {})}


def leaves(value):
    """The numbers, texts and so on in lists and objects."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]
