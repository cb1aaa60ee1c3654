"""The page of what versions answered, made of found/ and known_bugs.json.

    ./bazelw build //conformance:versions_page     # bazel-bin/conformance/versions/versions.md

What is in found/ is written by `//conformance:versions --publish`.
"""

import collections
import os
import sys

from conformance.versions import found_table, known_bugs
from reports import case_status, command, page
from reports.conformance_result import LEVELS

TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates", "found.md.j2")
# So many cases of a bug are named in its row.
NAMED = 3

# Of a case that shows a bug, where nothing required fails.
SOFT = {"warned", "differs"}

# A row of the table of bugs; shown: [known_bugs.Shown]
Row = collections.namedtuple("Row", "bug shown")


def build(found, bugs):
    """The page's text, of what `values` takes."""
    return page.render(TEMPLATE, **values(found, bugs))


def values(found, bugs):
    """What a template shows.

    found: name of a framework -> what is committed of it; bugs: [known_bugs.Bug]
    """
    rows = [Row(bug, known_bugs.shown_by(bug, found[bug.framework])) for bug in bugs if bug.framework in found]
    return {
        "found": [found[name] for name in _in_order(found, rows)],
        "rows": rows,
        "advised": _advised(rows),
        "counts": _counts,
        "named": _named,
        "numbers": _numbers(rows),
        "used": _used,
        "beside": _beside,
        "words": {status.id: status.word for status in case_status.ALL.values()},
    }


def _in_order(found, rows):
    """Names of frameworks as their bugs stand, then of those without one."""
    return dict.fromkeys([*(row.bug.framework for row in rows), *sorted(found)])


def _advised(rows):
    """ ", 2 of them only as a warning": how many show by nothing that is required; or nothing."""
    count = sum(bool(row.shown) and {case.verdict for case in row.shown} <= SOFT for row in rows)
    return f", {count} of them only as a warning" if count else ""


def _counts(shown):
    """ "2 failed, 1 warned", worst first."""
    counts = collections.Counter(case.verdict for case in shown)
    return ", ".join(
        f"{counts[status.id]} {status.word}" for status in reversed(case_status.ALL.values()) if counts[status.id]
    )


def _used(entry):
    """The statuses that cases of a framework have in some version."""
    return [
        status
        for status in case_status.ALL.values()
        if any(status.id in column["verdicts"] for column in entry["versions"])
    ]


def _beside(column):
    """What was installed with a version, and set."""
    packages = (package.replace("==", " ") for package in column["installed"][1:])
    return [*packages, *(f"{name}={value}" for name, value in column["variables"].items())]


def _named(shown):
    """The first few, those that have to hold first."""
    return sorted(shown, key=lambda case: LEVELS.index(case.level))[:NAMED]


def _numbers(rows):
    """(framework, id of a case) -> the numbers of the bugs that it shows, from 1 down the table."""
    numbers = collections.defaultdict(list)
    for number, row in enumerate(rows, 1):
        for case in row.shown:
            numbers[row.bug.framework, case.id].append(number)
    return numbers


def main():
    def work():
        print(build(found_table.load_all(), known_bugs.load()), end="")

    return command.run(work)


if __name__ == "__main__":
    sys.exit(main())
