"""Shortens a result to what a repository keeps as accepted, for the next run to be compared with.

    ./bazelw run //reports/accepted:accepted_result -- conformance.json accepted.json

In the wheel, `lockstep job --accept=accepted.json` does it. The file has the verdict and the observed values of each
case, a line a case, in the order of their ids. Programs and expectations are there as digests, by which a comparison
finds cases that were rewritten. Times are left out, so that two runs of the same code give the same file.
docs/formats.md has the fields.
Exit status: 0 written; 2 not written, for the reason on stderr.
"""

import argparse
import hashlib
import json
import sys

from command_line.user_paths import user_path
from reports import json_text
from reports.output_file import OutputFile

FORMAT = 1
# What a testee runs and is judged by; the rest of a case is prose.
ASKED = ("level", "given", "program", "expect")
_PROSE = ("because", "no_framework_agrees", "by_hand")
# The kinds of an answer -> what is kept of it. The rest is of one machine, or text.
_ANSWERS = {
    "error": ("class", "at_step"),
    "unsupported": ("step",),
    "timed_out": ("deadline_s",),
    "crashed": ("by",),
    "protocol_error": ("what",),
}
_LEFT_OUT = {"message": "", "reason": "", "stderr": ""}


class NotAccepted(ValueError):
    """A file that is no result of a whole run."""


def is_accepted(content):
    """Whether parsed JSON is one of these files, of any format."""
    return isinstance(content, dict) and "accepted_format" in content


def digest(value):
    """12 hexadecimal digits, the same for the same JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def without_prose(field):
    """A field of ASKED without what is only for people."""
    if not isinstance(field, list):
        return field
    return [{k: v for k, v in entry.items() if k not in _PROSE} for entry in field]


def asked(case):
    """Field of ASKED -> its digest, or itself where it is a word."""
    if "asked" in case:
        return {"level": case["level"], **case["asked"]}
    return {name: case[name] if name == "level" else digest(without_prose(case[name])) for name in ASKED}


def to_text(result):
    """The file. Errors: NotAccepted for a run that was interrupted."""
    if not result["complete"]:
        raise NotAccepted("it is of a run that was interrupted: wanted one that ran to its end")
    head = {"accepted_format": FORMAT}
    head |= {name: result[name] for name in ("suite", "testee", "options", "headline") if name in result}
    lines = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}," for name, value in head.items()]
    cases = [_line(case) for case in sorted(result["cases"], key=lambda case: case["id"])]
    return "{\n" + "\n".join(lines) + '\n"cases": [\n' + ",\n".join(cases) + "\n]\n}\n"


def _line(case):
    short = {name: case[name] for name in ("id", "level", "verdict")}
    # Both are almost always as the verdict says.
    if case["verdict"] == "informational":
        short["matches"] = case["matches"]
    if case["flickers"]:
        short["flickers"] = True
    digests = asked(case)
    short["asked"] = {name: digests[name] for name in ASKED if name != "level"}
    short["runs"] = [_run(run) for run in case["runs"]]
    return json.dumps(short, ensure_ascii=False)


def _run(run):
    short = {"given": run["given"], "verdict": run["verdict"]}
    if "observations" in run:
        short["observations"] = run["observations"]
    for kind, kept in _ANSWERS.items():
        if kind in run:
            short[kind] = {name: run[kind][name] for name in kept}
    if "unsupported" not in run:
        short["findings"] = [{name: one[name] for name in ("expectation", "level", "holds")} for one in run["findings"]]
    return short


def as_result(content):
    """What a comparison reads of a result, of a file that fits the schema."""
    cases = [
        {
            "matches": case["verdict"] == "passed",
            "flickers": False,
            **case,
            "runs": [_as_run(run) for run in case["runs"]],
        }
        for case in content["cases"]
    ]
    return {"complete": True, "started": None, **content, "cases": cases}


def _as_run(run):
    whole = {"findings": [], **run}
    for kind in _ANSWERS:
        if kind in run:
            whole[kind] = _LEFT_OUT | run[kind]
    return whole


def shorten(path):
    """The text for the result at `path`. Errors: NotAccepted, OSError."""
    with open(path, "rb") as stream:
        try:
            return to_text(json_text.parse(stream.read()))
        except json_text.JsonError as error:
            raise NotAccepted(str(error)) from error
        except (KeyError, TypeError) as error:
            raise NotAccepted("it is no result of `run --json`") from error


def main(arguments=None):
    """The exit status; for 2 with a line on stderr that says what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", metavar="RESULT", help="what `run --json` wrote")
    parser.add_argument("accepted", metavar="ACCEPTED", help="file to write")
    options = parser.parse_args(arguments)
    try:
        OutputFile(user_path(options.accepted)).write(shorten(user_path(options.result)))
    except NotAccepted as error:
        print(f"[accept] {options.result}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"[accept] {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
