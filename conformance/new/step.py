"""A step of the vocabulary: its contract, its function in the reference's testee, and its first case.

The contract stands after the last step of the group, or after that of --after; the function in the file of that
step, as the last.
"""

import pathlib
import re

from conformance.new import case
from conformance.new.contribution import Refused
from tools.check_cases import case_files
from tools.placeholder import fill

NAME = "GROUP.NAME"
STEP = re.compile(r"[a-z]+\.[a-z][a-z_]*")
REFERENCE = "conformance/testees/reference"
TEST = "./bazelw test //conformance/testees/reference/..."


def add_arguments(parser):
    parser.add_argument("case", metavar=case.NAME, help="its first case")
    parser.add_argument("--after", metavar="STEP", help="the step that it stands after [the last of its group]")
    case.add_arguments(parser)


def write(contribution, name, options):
    documents = {path: contribution.read(path) for path in case_files.OPERATIONS}
    steps = case_files.STEP_HEADING.findall("\n".join(documents.values()))
    if not STEP.fullmatch(name) or name in steps:
        raise Refused("wanted a new name GROUP.NAME in lower snake case, got %s" % name)
    after = options.after or _last_of_group(name, documents, steps)
    if after not in steps:
        raise Refused("%s have no step %s" % (" and ".join(documents), after))
    contracts = next(path for path, text in documents.items() if after in case_files.STEP_HEADING.findall(text))
    path = file_of(contribution, after)
    contribution.write(contracts, with_contract(documents[contracts], name, after))
    contribution.write(path, with_function(contribution.read(path), name, after))
    contribution.fill_in(contracts, case.CHECK)
    contribution.fill_in(path, "./bazelw run //tools:check_words")
    contribution.then(
        "The reference knows the step, and its code is formatted.",
        "./bazelw run //tools:check_format -- --fix && " + TEST,
    )
    program = [case.FIRST_STEPS[0], {"observe": case.OBSERVED, "step": name, "of": "given"}]
    case.add(contribution, options.case, options.holds, program)
    contribution.then(
        "All cases are judged together: none is passed for nothing, none rests on what becomes of uneven batches.",
        "./bazelw test //conformance/testees/miniatures:nulls_test //conformance/testees/reference:uneven_batches_test",
    )
    contribution.then(
        "Frameworks: a function in conformance/testees/* (arithmetic: testees/python/value_steps.py; Keras has "
        "TensorFlow's table too), or a reason why there is none; a run of each with --filter=%s says what "
        "it does not support. Everything else "
        'that may name a step is listed in docs/architecture.md, "A step of the vocabulary".' % options.case,
        "./bazelw test //tools/check_cases:check_steps_test",
    )


def _last_of_group(name, documents, steps):
    group = name.split(".", maxsplit=1)[0]
    found = [step for step in steps if step.startswith(group + ".")]
    if not found:
        raise Refused(
            "no step is called %s.*: a new group has a section in %s, a file *_steps.cc in %s and a line in "
            "its step_table.h and step_table.cc; or say --after=STEP" % (group, " or ".join(documents), REFERENCE)
        )
    section = re.compile(r"^## %s\n(.*?)(?=^## |\Z)" % group, re.MULTILINE | re.DOTALL)
    own = [
        step
        for text in documents.values()
        for found_section in section.findall(text)
        for step in case_files.STEP_HEADING.findall(found_section)
    ]
    return ([step for step in found if step in own] or found)[-1]


def file_of(contribution, step):
    """The source that has the step's function."""
    for place in sorted(pathlib.Path(contribution.root, REFERENCE).rglob("*_steps.cc")):
        path = str(place.relative_to(contribution.root))
        if _registration(step) in contribution.read(path):
            return path
    raise Refused("no file *_steps.cc of %s adds %s: say --after=STEP" % (REFERENCE, step))


def _registration(step):
    return '.Add("%s",' % step


def with_contract(text, name, after):
    """A document with the new step after the section of `after`."""
    start = text.index("### `%s`\n" % after)
    following = re.compile("^##", re.MULTILINE).search(text, start + 3)
    end = following.start() if following else len(text)
    lines = [
        "### `%s`" % name,
        fill("what it does, in a sentence or two"),
        "",
        "| argument | type | meaning |",
        "|---|---|---|",
        "| of | name | %s |" % fill("what that is, and its type: a row an argument, of the types above"),
        "",
        "Gives: " + fill("what; or 'nothing.'"),
        "",
    ]
    before = text[:end].rstrip("\n") + "\n\n"
    return before + "\n".join(lines) + ("\n" + text[end:] if following else "")


def with_function(text, name, after):
    """A file of the reference's steps with the function of the new one, which is not written yet."""
    function = "".join(word.capitalize() for word in re.split("[._]", name))
    adds = text.rindex("\nvoid Add", 0, text.index(_registration(after))) + 1
    end = re.compile(r"(?<=; )\}$|^\}$", re.MULTILINE).search(text, text.index(_registration(after))).start()
    before = text.rindex("}  // namespace\n", 0, adds)
    definition = '// %s\nValue %s(const StepCall&) {\n  throw Unimplemented("[%s] not written yet");\n}\n\n' % (
        fill("what it does in the reference"),
        function,
        name,
    )
    line = '  table.Add("%s", %s);' % (name, function)
    if len(line) > 80:
        line = '  table.Add("%s",\n            %s);' % (name, function)
    return text[:before] + definition + text[before:end].rstrip() + "\n" + line + "\n" + text[end:]
