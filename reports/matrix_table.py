"""Brings the results of several implementations together, case by case."""

import collections

from reports import case_status, conformance_result
from reports.conformance_result import LEVELS
from reports.json_file import ReportError

ANSWERED = ("passed", "informational", "differs", "warned", "departed", "failed", "errored")
# What counts as holding, by level: of what is not judged what matches.
HOLDING = {
    "required": ("passed",),
    "recommended": ("passed",),
    "decision": ("informational",),
    "observed": ("informational",),
}
# Of a case that shows nothing otherwise than stated.
_AS_STATED = ("passed", "informational", "unsupported", "not_run")
# What a case is, beside what came out of it.
_CASE_FIELDS = ("states", "level", "tier", "given", "program", "expect")


class Promise(collections.namedtuple("Promise", "kept departed broken unsupported")):
    """What became of the promise, N replicas train as one: counts of the required cases of intents."""

    @classmethod
    def of(cls, counts):
        """Of statuses: what is warned of, failed, crashed and so on broke it."""
        kept, departed, unsupported = (counts[status] for status in ("passed", "departed", "unsupported"))
        return cls(kept, departed, sum(counts.values()) - kept - departed - unsupported, unsupported)


def _run_command(testee):
    return f"./bazelw run //conformance:run -- --testee={testee}"


class MatrixTable:
    """Rows are cases, by area and topic; columns are implementations.

    columns: [{"key", "name", "version", "again", "result", "counts", "required",
        "levels", "kinds", "stale"}]; again: the command that runs its cases; counts:
        status -> cases, required: the same of those that are required, which is what
        headlines are made of
    areas: [{"name", "passed", "topics": [{"path", "title", "rows": [row]}]}]
    row: {"case", "cells": [cell], "statuses"}; cell: {"status", "case"}, with no
    case where the implementation's result has none.
    `again` gives the command for a column's key. The keys are the testees' names,
    or those of `keys`.
    Errors: ReportError for results of one key twice, or of different cases.
    """

    def __init__(self, results, keys=None, again=_run_command):
        keys = keys or [result["testee"]["name"] for result in results]
        self.columns = [_column(*pair, again) for pair in zip(keys, results)]
        _check_names(self.columns)
        self._by_id = [conformance_result.cases_by_id(result) for result in results]
        self.rows = [self._row(case_id) for case_id in sorted(set().union(*self._by_id))]
        self.areas = self._areas()

    def _row(self, case_id):
        cases = [cases.get(case_id) for cases in self._by_id]
        first = next(case for case in cases if case)
        for column, case in zip(self.columns, cases):
            _check_same(first, case, column)
        cells = [{"status": case_status.of_case(case), "case": case} for case in cases]
        return {"case": first, "cells": cells, "statuses": [cell["status"].id for cell in cells]}

    def otherwise(self, index):
        """[(cell, why)] of a column's cases that differ from the statement, in the rows' order."""
        cells = (row["cells"][index] for row in self.rows)
        return [(cell, conformance_result.why(cell["case"])) for cell in cells if cell["status"].id not in _AS_STATED]

    def _areas(self):
        areas = {}
        for row in self.rows:
            area, topic, _ = row["case"]["id"].split("/")
            topics = areas.setdefault(area, {})
            entry = topics.setdefault(f"{area}/{topic}", {"title": row["case"]["topic"], "rows": []})
            entry["rows"].append(row)
        return [
            {
                "name": area,
                "passed": self._passed(topics.values()),
                "topics": [{"path": path, **topic} for path, topic in topics.items()],
            }
            for area, topics in areas.items()
        ]

    def _passed(self, topics):
        """For each column (passed, run) of the topics' required cases."""
        rows = [row for topic in topics for row in topic["rows"] if row["case"]["level"] == "required"]
        found = []
        for index in range(len(self.columns)):
            statuses = [row["statuses"][index] for row in rows]
            passed = sum(status in HOLDING["required"] for status in statuses)
            found.append((passed, len(statuses) - statuses.count("not_run")))
        return found


def _column(key, result, again):
    name, version = conformance_result.title(result)
    cases = result["cases"]
    required = [case for case in cases if case["level"] == "required"]
    counts, promise, calls = (
        collections.Counter(case_status.of_case(case).id for case in some)
        for some in (cases, *([c for c in required if c["tier"] == tier] for tier in ("intents", "calls")))
    )
    return {
        "key": key,
        "name": name,
        "version": version,
        "again": again(key),
        "result": result,
        "counts": counts,
        "promise": Promise.of(promise),
        "calls": calls,
        "required": promise + calls,
        "answered": sum(counts[status] for status in ANSWERED),
        "levels": [_level(cases, level) for level in LEVELS],
        "kinds": collections.Counter(case["deviation"]["kind"] for case in cases if "deviation" in case),
        "stale": conformance_result.stale(result),
    }


def _level(cases, level):
    """(how many hold, how many there are) of the cases of a level."""
    statuses = [case_status.of_case(case).id for case in cases if case["level"] == level]
    return sum(status in HOLDING[level] for status in statuses), len(statuses)


def _check_names(columns):
    names = [column["key"] for column in columns]
    for name in names:
        if names.count(name) > 1:
            raise ReportError(f"[matrix] two results of {name}")


def _check_same(first, case, column):
    for field in _CASE_FIELDS:
        if case and case[field] != first[field]:
            raise ReportError(
                f"[matrix] {case['id']}: '{field}' differs in the result of"
                f" {column['key']}: run the same cases for every column"
            )
