"""Reads what `//conformance:run --json` writes."""

import collections
import re

from command_line.own_command import run_command
from reports import command, json_file
from reports.accepted import accepted_result
from reports.json_file import ReportError

FORMAT = 5
# The previous format, which is converted.
_FORMAT_BEFORE = 4
LEVELS = ("required", "recommended", "decision", "observed")

# A line of a traceback of Python.
_TRACE = re.compile(r'^\s*File ".*$\n?', re.MULTILINE)

# The folder of a testee and that of a program in it: /tmp/lockstep-gZ2aB1/lockstep-x8_1qzno.
_FOLDER = re.compile(r"(?:/[\w.-]+)*/lockstep-\w{6,8}(?:/lockstep-\w+)*(?![\w-])")

# "TensorFlow 2.21.0 (Keras 3.15.1)": the name ends where the version begins.
_VERSION = re.compile(r"(.*?)\s+v?(\d[\w.+-]*)(.*)", re.DOTALL)


def load(path):
    """The parsed result. Errors: ReportError where it does not fit the schema."""
    schema = command.conformance_path("schemas", "results.schema.json")
    return json_file.load(path, schema, _as_of_today)


def load_to_compare(path):
    """The same, also of an accepted result: of its cases it has what a comparison reads. Errors: as load."""
    content = json_file.load(path)
    if accepted_result.is_accepted(content):
        json_file.fit(content, command.conformance_path("schemas", "accepted_result.schema.json"), path)
        return accepted_result.as_result(content)
    _as_of_today(content, path)
    json_file.fit(content, command.conformance_path("schemas", "results.schema.json"), path)
    return content


def _as_of_today(content, path):
    """Converts a file of the previous format. Errors: ReportError for any other format."""
    if accepted_result.is_accepted(content):
        raise ReportError(
            f"[load] {path}: an accepted result, which is only there to be compared with;"
            f" wanted what `{run_command()} --json=FILE` writes"
        )
    if not isinstance(content, dict) or not {"format", "testee"} <= content.keys():
        raise ReportError(f"[load] {path}: no result of `{run_command()} --json=FILE`")
    if content["format"] == _FORMAT_BEFORE:
        _rename(content)
    elif content["format"] != FORMAT:
        raise ReportError(
            f"[load] {path}: wanted format {FORMAT} or {_FORMAT_BEFORE}, got {content['format']!r}:"
            f" write it again with `{run_command()} --json=FILE`"
        )


def _rename(content):
    """Renames `told` and `as_stated` of the previous format. What has another form stays, for the schema to refuse."""
    content["format"] = FORMAT
    for entry in _objects_in(content.get("cases")) + _objects_in(content.get("summary")):
        if "as_stated" in entry:
            entry["matches"] = entry.pop("as_stated")
        if entry.get("verdict") == "told":
            entry["verdict"] = "informational"
        for verdicts in _objects_in([entry.get("verdicts")]):
            if "told" in verdicts:
                verdicts["informational"] = verdicts.pop("told")


def _objects_in(value):
    """The objects in a list, or among an object's values."""
    entries = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [entry for entry in entries if isinstance(entry, dict)]


def title(result):
    """(name, version) of the implementation: ("TensorFlow", "2.21.0")."""
    implementation = result["testee"]["implementation"]
    match = _VERSION.fullmatch(implementation)
    if not match:
        return implementation, ""
    name, version, rest = match.groups()
    return name, version + rest


def cases_by_id(result):
    return {case["id"]: case for case in result["cases"]}


def stale(result):
    """Pairs of a reason and the number of cases that have no answer, or an outdated one, for it."""
    reasons = collections.Counter(f"without an answer: {why}" for why in result.get("not_answered", {}).values())
    reasons.update(f"with an answer from before: {case['outdated']}" for case in result["cases"] if "outdated" in case)
    return sorted(reasons.items())


def why(case):
    """The deviation's reason, else the first difference that was found, else the conventions by which it departs.

    Where an error came through a program's lines, and in which folder, is left out: they
    are a machine's.
    """
    if "deviation" in case:
        return case["deviation"]["reason"]
    differences = [finding["difference"] for run in case["runs"] for finding in run["findings"] if not finding["holds"]]
    return _FOLDER.sub("FOLDER", _TRACE.sub("", differences[0])) if differences else _departures(case)


def _departures(case):
    """ "end_of_data", of a case that was judged by what follows from it."""
    judged = {finding["expectation"] for run in case["runs"] for finding in run["findings"]}
    conventions = {name for place in judged for name in case["expect"][place].get("departs", {})}
    return ", ".join(sorted(conventions))


def rewritten_fields(case, other):
    """The fields in which two cases of one id differ, prose aside: ["expect"]. Either may be of an accepted result."""
    if "asked" in case or "asked" in other:
        before, after = map(accepted_result.asked, (case, other))
        return [field for field in accepted_result.ASKED if before[field] != after[field]]
    plain = accepted_result.without_prose
    return [field for field in accepted_result.ASKED if plain(case[field]) != plain(other[field])]
