"""Fails where conformance/conventions.json is malformed, or a case's `when` asks for what it does not have.

./bazelw run //tools/check_cases:check_conventions      prints one line a problem:
    conformance/conventions.json: remainder: no note for porting from pad to split
"""

import os
import sys

from tools import source_tree
from tools.check_cases import case_format, json_file

PATH = "conformance/conventions.json"
SCHEMA = "conformance/schemas/conventions.schema.json"


def load_values(root):
    """Convention -> its values, the documented one first."""
    with open(os.path.join(root, PATH), encoding="utf-8") as stream:
        document = case_format.load(stream.read())
    return {convention["id"]: [value["id"] for value in convention["values"]] for convention in document["conventions"]}


def chosen(choice, values):
    """Those of a convention's values that a `when` asks for.

    >>> chosen({'not': ['pad', 'fill']}, ['split', 'pad', 'fill', 'drop'])
    ['split', 'drop']
    """
    is_excluding = isinstance(choice, dict)
    named = choice["not"] if is_excluding else choice
    named = [named] if isinstance(named, str) else named
    return [value for value in values if (value in named) != is_excluding]


def check(root):
    document, problems = json_file.load_checked(root, PATH, SCHEMA)
    if problems:
        return problems
    known = set()
    for convention in document["conventions"]:
        problems += ["%s: %s: %s" % (PATH, convention["id"], text) for text in _convention_problems(convention, known)]
        known.add(convention["id"])
    return problems


def _convention_problems(convention, known):
    values = [value["id"] for value in convention["values"]]
    pairs = [(note["from"], note["to"]) for note in convention["porting"]]
    if convention["id"] in known:
        yield "stands here twice"
    if len(set(values)) < len(values):
        yield "a value stands here twice"
    if len(set(pairs)) < len(pairs):
        yield "a note for porting stands here twice"
    for pair in pairs:
        if pair[0] == pair[1] or not set(pair) <= set(values):
            yield "a note for porting from %s to %s, which are not two of its values" % pair
    documented = values[0]
    for value in values[1:]:
        for pair in ((documented, value), (value, documented)):
            if pair not in pairs:
                yield "no note for porting from %s to %s" % pair


if __name__ == "__main__":
    sys.exit(source_tree.run(check))
