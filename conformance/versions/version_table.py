"""Brings the results of several versions of one implementation together: where verdicts change."""

import collections

from reports import case_change
from reports.conformance_result import LEVELS
from reports.matrix_table import MatrixTable

# row: of a MatrixTable; changes: [Step], in order of versions
ChangedCase = collections.namedtuple("ChangedCase", "row changes")
# index: of the column that differs from the one before it; change: a case_change.Change, whose differences
# may be empty
Step = collections.namedtuple("Step", "index change")


class VersionTable:
    """A column a version, in the order given; results are of the same cases (conformance_result.load).

    versions: their names; `again` gives the command that runs cases against a version
    columns: those of a MatrixTable; total: how many cases there are
    changed: [ChangedCase] whose verdict is not the same in all columns that have it, by where it changes first,
        then by level and id
    otherwise: [ChangedCase] of one verdict throughout, that do something else all the same
    Errors: ReportError for two results of a version, or of different cases.
    """

    def __init__(self, versions, results, again):
        table = MatrixTable(results, versions, again)
        self.columns = table.columns
        self.total = len(table.rows)
        cases = [ChangedCase(row, list(_steps(row))) for row in table.rows]
        self.changed = sorted(filter(_changes_verdict, cases), key=_order)
        self.otherwise = sorted((case for case in cases if case.changes and not _changes_verdict(case)), key=_order)

    def verdicts(self, case):
        """Version -> id of the status that a ChangedCase has there."""
        return {column["key"]: status for column, status in zip(self.columns, case.row["statuses"])}

    @property
    def same(self):
        """How many cases never change in anything."""
        return self.total - len(self.changed) - len(self.otherwise)


def _steps(row):
    """From each version that ran to the next one that did."""
    entries = [(index, cell["case"]) for index, cell in enumerate(row["cells"]) if cell["case"]]
    for (_, old), (index, new) in zip(entries, entries[1:]):
        change = case_change.find(old, new, ["required"])
        if change:
            yield Step(index, change)


def _changes_verdict(case):
    return len({status for status in case.row["statuses"] if status != "not_run"}) > 1


def _order(case):
    return case.changes[0].index, LEVELS.index(case.row["case"]["level"]), case.row["case"]["id"]
