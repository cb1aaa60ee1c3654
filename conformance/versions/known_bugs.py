"""Public bugs of past versions, and whether the cases show them: known_bugs.json beside found/.

A bug names the versions that have it, others that have not, and cases that it breaks. A case shows
it that does not hold in each of the first and holds in each of the others.
"""

import collections
import dataclasses

from reports import case_status, command, json_file

# Of a case that holds, as far as anything of it is judged.
HOLDS = ("passed", "informational")
# Of one that was not put, or that the version had no way to answer: it says nothing.
SILENT = ("unsupported", "not_run")

# A case that shows a bug; verdict: the worst in the versions that have it
Shown = collections.namedtuple("Shown", "id level verdict")


@dataclasses.dataclass(frozen=True)
class Bug:
    """A defect that others reported.

    says: what it does, in a sentence
    records: where, as "owner/name#number"
    broken, right: versions with and without it, which were run
    cases: ids of those that are to show it
    note: what the table does not say by itself
    """

    framework: str
    says: str
    records: tuple
    broken: tuple
    right: tuple
    cases: tuple
    note: str = ""


def load():
    """The bugs of known_bugs.json, in its order. Errors: ReportError."""
    document = json_file.load(
        command.conformance_path("versions", "known_bugs.json"),
        command.conformance_path("versions", "known_bugs.schema.json"),
    )
    return [_bug(entry) for entry in document["bugs"]]


def shown_by(bug, found):
    """[Shown]: those of the bug's cases that show it, by what is committed of its framework."""
    cases = {case["id"]: case for case in found["changed"]}
    listed = (cases[case_id] for case_id in bug.cases if case_id in cases)
    return [
        Shown(case["id"], case["level"], _worst(case, bug.broken)) for case in listed if _shows(case["verdicts"], bug)
    ]


def _bug(entry):
    lists = {field: tuple(entry[field]) for field in ("records", "broken", "right", "cases")}
    return Bug(entry["framework"], entry["says"], note=entry.get("note", ""), **lists)


def _shows(verdicts, bug):
    wrong = [verdicts.get(version, "not_run") for version in bug.broken]
    right = [verdicts.get(version, "not_run") for version in bug.right]
    return all(verdict not in HOLDS + SILENT for verdict in wrong) and all(verdict in HOLDS for verdict in right)


def _worst(case, versions):
    badness = list(case_status.ALL).index
    return max((case["verdicts"][version] for version in versions), key=badness)
