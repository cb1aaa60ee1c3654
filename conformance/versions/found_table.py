"""What versions of a framework answered, small enough to be committed: found/<framework>.json.

    {"framework": "keras", "cases": 967,
     "versions": [{"version": "3.4.1", "implementation": "Keras 3.4.1", "day": "2026-11-24",
                   "installed": ["keras==3.4.1"], "variables": {}, "required": [230, 453],
                   "verdicts": {"passed": 520, ...}}, ...],
     "changed": [{"id": "loss/...", "level": "required",
                  "verdicts": {"3.4.1": "failed", "3.5.0": "passed", ...}}, ...]}

Nothing in it is of the machine or of how long it took: the same answers make the same file.
"""

import glob
import json
import os

from reports import case_status, command, json_file
from reports.json_file import ReportError

FOLDER = os.path.join("conformance", "versions", "found")


def of(framework, entries, table, ids):
    """What is committed of a run.

    framework: a framework_table.Framework; entries: [version_run.VersionResult]; table: their VersionTable
    ids: of all cases that there are
    Errors: ReportError where a version has no result, or one of other cases than these.
    """
    for entry in entries:
        _check_whole(entry, ids)
    return {
        "framework": framework.name,
        "cases": table.total,
        "versions": [_version(framework, column) for column in table.columns],
        "changed": sorted((_case(case, table) for case in table.changed), key=lambda case: case["id"]),
    }


def dump(found):
    """JSON with a case a line, so that a change is seen as one."""
    head = {key: value for key, value in found.items() if key != "changed"}
    lines = ",\n".join("  " + json.dumps(case) for case in found["changed"])
    changed = f"[\n{lines}\n ]" if lines else "[]"
    return json.dumps(head, indent=1)[:-2] + f',\n "changed": {changed}\n}}\n'


def load_all(root=None):
    """Name of a framework -> what is committed of it. Errors: ReportError.

    root: of the source tree; None where Bazel laid out the files
    """
    folder = os.path.join(root, FOLDER) if root else command.conformance_path("versions", "found")
    loaded = map(json_file.load, sorted(glob.glob(os.path.join(folder, "*.json"))))
    return {found["framework"]: found for found in loaded}


def _check_whole(entry, ids):
    if not entry.result:
        raise ReportError(f"[publish] {entry.version} {entry.problem}")
    answered = {case["id"] for case in entry.result["cases"]}
    if answered != ids:
        raise ReportError(
            f"[publish] {entry.version}: wanted all {len(ids)} cases and no other, "
            f"got {len(answered)}, {len(answered & ids)} of them"
        )


def _version(framework, column):
    result = column["result"]
    headline = result["headline"]["required"]
    return {
        "version": column["key"],
        "implementation": result["testee"]["implementation"],
        "day": result["started"][:10],
        "installed": framework.requirements(column["key"]),
        "variables": framework.variables(column["key"]),
        "required": [headline["passed"], headline["cases"]],
        "verdicts": {status: column["counts"][status] for status in case_status.ALL if column["counts"][status]},
    }


def _case(case, table):
    row = case.row["case"]
    return {"id": row["id"], "level": row["level"], "verdicts": table.verdicts(case)}
