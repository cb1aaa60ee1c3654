"""The kill matrix by case: what fails each of them, and which of them nothing fails.

A planted bug counts, and the reference on one replica: they do all that a case asks for, but for one thing. A
null testee does nothing, so nearly every case fails it; the report names only cases that do not.
"""

import dataclasses

from conformance.mutants import kill_matrix

ONE_REPLICA = "one_replica_only"


@dataclasses.dataclass(frozen=True)
class CaseView:
    """What became of one case."""

    case: str
    level: str
    killed_by: list  # names of mutants, ONE_REPLICA
    passed_by: list  # names of null testees, which get a point for it

    @property
    def lacks_killer(self):
        return self.level == "required" and not self.killed_by


def gets_a_point(result):
    return result.verdict == "passed" or (result.level == "required" and result.verdict == "warned")


def view(baseline, rows, on_one_replica, nulls):
    """A view of each case of `baseline`, case id -> Result as all that follows.

    rows: of the kill matrix; on_one_replica: the reference's results there; nulls: name -> results.
    """
    rows_by_name = {row.mutant.name: row for row in rows}
    rows_by_name[ONE_REPLICA] = kill_matrix.compare(None, baseline, on_one_replica)
    views = []
    for case, expected in baseline.items():
        killers = [
            name
            for name, row in rows_by_name.items()
            if case in (row.required if expected.level == "required" else row.killed_by)
        ]
        passed_by = [name for name, results in nulls.items() if case in results and gets_a_point(results[case])]
        views.append(CaseView(case, expected.level, killers, passed_by))
    return views


def summaries(views):
    """Two lines; none where no case was looked at."""
    required = [one for one in views if one.level == "required"]
    return (
        [
            "%d of %d required cases are killed by something"
            % (sum(not one.lacks_killer for one in required), len(required)),
            "%d of %d cases are passed for nothing" % (sum(bool(one.passed_by) for one in views), len(views)),
        ]
        if views
        else []
    )


def complaints(views):
    """A line for each case that is not as it is to be."""
    return ["%s: nothing kills it" % one.case for one in views if one.lacks_killer] + [
        "%s: passed by %s" % (one.case, ", ".join(one.passed_by)) for one in views if one.passed_by
    ]


def to_json(views):
    return [dataclasses.asdict(one) for one in views]


def to_markdown(views):
    if not views:
        return ""
    lines = [
        "",
        "# What kills each case",
        "",
        ". ".join(summaries(views)) + ".",
        "",
        "| case | level | killed by |",
        "|---|---|---|",
    ]
    lines += ["| %s | %s | %s |" % (one.case, one.level, ", ".join(one.killed_by) or "nothing") for one in views]
    return "\n".join(lines) + "\n"
