"""Fails where no case checks a convention that a testee declares.

    ./bazelw run //tools/check_cases:check_dialects      prints one line a problem:
        input/partial/x: nothing is judged for end_of_data: drop
        conventions.json: no expectation for end_of_data: fill is broken by the answer of end_of_data: pad

A case whose expectations ask for conventions judges every testee, whatever of these it declares. And for any
two values of a convention some case tells them apart: what it expects for the one, an answer that is right
for the other breaks. That answer is what the case itself expects for the other.
"""

import itertools
import sys

from tools import source_tree
from tools.check_cases import case_files, check_conventions

JUDGED = ("required", "recommended")


def check(root):
    values = check_conventions.load_values(root)
    problems, distinguished = [], set()
    for case in case_files.all_cases(root):
        judged = [e for e in case["expect"] if e.get("level", case["level"]) in JUDGED]
        dialects = [(dialect, _applying(judged, dialect, values)) for dialect in _dialects(judged, values)]
        problems += [
            "%s: nothing is judged for %s" % (case["id"], _describe(dialect))
            for dialect, applying in dialects
            if judged and not applying
        ]
        distinguished |= set(_distinguished_pairs(dialects))
    for convention, its_values in values.items():
        for pair in itertools.permutations(its_values, 2):
            if (convention, *pair) not in distinguished:
                problems.append(
                    "conventions.json: no expectation for %s: %s is broken by the answer of %s: %s"
                    % (convention, pair[0], convention, pair[1])
                )
    return problems


def _dialects(expectations, values):
    """Every choice of values of the conventions that the expectations name."""
    conventions = sorted({convention for e in expectations for convention in case_files.conventions_of(e)})
    return [dict(zip(conventions, choice)) for choice in itertools.product(*(values[c] for c in conventions))]


def _applying(expectations, dialect, values):
    applying = [
        e
        for e in expectations
        if all(
            dialect[convention] in check_conventions.chosen(choice, values[convention])
            for convention, choice in case_files.conventions_of(e).items()
        )
    ]
    departures = [e for e in applying if "departs" in e]
    if any("error" in e for e in departures):
        return departures
    replaced = {e["observation"] for e in departures}
    return [e for e in applying if "departs" in e or e.get("observation") not in replaced]


def _describe(dialect):
    return ", ".join("%s: %s" % item for item in dialect.items())


def _distinguished_pairs(dialects):
    """(convention, value, other value) where the other value's answer breaks the value's expectation."""
    for (dialect, applying), (other, answer) in itertools.permutations(dialects, 2):
        differing = [convention for convention in dialect if dialect[convention] != other[convention]]
        if len(differing) == 1 and any(_breaks(answer, e) for e in applying):
            yield differing[0], dialect[differing[0]], other[differing[0]]


def _breaks(answer, expectation):
    """Whether a reply that is as `answer` expects it is not as `expectation` does."""
    errors = [e["error"] for e in answer if "error" in e]
    if errors or "error" in expectation:
        return bool(answer) and errors != [expectation.get("error")]
    return any(_differ(e, expectation) for e in answer if e["observation"] == expectation["observation"])


def _differ(one, other):
    if "equals" in one and "equals" in other:
        return one["equals"] != other["equals"]
    entries = [_entries(e) for e in (one, other)]
    return None not in entries and entries[0] != entries[1]


def _entries(expectation):
    """The numbers and texts that it expects in some order; None where it does not list them."""
    for relation in ("equals", "same_multiset"):
        if relation in expectation:
            return sorted(repr(leaf) for leaf in case_files.leaves(expectation[relation]) if leaf is not None)
    return None


if __name__ == "__main__":
    sys.exit(source_tree.run(check))
