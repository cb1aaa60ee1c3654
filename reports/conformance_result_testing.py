"""Small results of conformance runs, for the tests of reports."""

import json
import os
import tempfile

VERDICTS = (
    "passed",
    "informational",
    "warned",
    "departed",
    "unsupported",
    "failed",
    "errored",
    "timed_out",
    "crashed",
    "protocol_error",
)
# What an expectation of these cases states, and what else is observed.
STATED, OTHER = [[2, 2], [1, 1]], [[2, 2], [2, 0]]
LEVELS = ("required", "recommended", "decision", "observed")
PROGRAM = [
    {"let": "n", "step": "dataset.range", "stop": 6},
    {"observe": "sizes", "step": "input.batch_sizes", "of": "n"},
]


def case(claim, verdict="passed", level="required", **fields):
    """The case input/rebatch/`claim` with one run; `fields` replace or add any."""
    run = {
        "given": {"strategy": "mirrored", "replicas": 2},
        "verdict": verdict,
        "duration_s": 0.01,
        "tokens": ["a1b2"],
        **_answer(verdict, level),
    }
    return {
        "id": f"input/rebatch/{claim}",
        "topic": "How a global batch is divided",
        "level": level,
        "tier": "calls",
        "states": f"A batch is {claim.replace('_', ' ')}.",
        "cites": [{"source": "distributed_input", "anchor": "0Qb6nDgxiN_n", "url": "https://example.org/input"}],
        "given": {"strategy": "mirrored", "replicas": 2},
        "program": PROGRAM,
        "expect": [{"observation": "sizes", "equals": STATED}],
        "verdict": verdict,
        "as_expected": True,
        "matches": verdict in ("passed", "informational", "departed"),
        "flickers": False,
        "duration_s": 0.01,
        "runs": [run],
        **fields,
    }


def unjudged(claim, observed, holds=False, level="observed"):
    """An informational case and its observation."""
    made = case(claim, "informational", level=level, matches=holds)
    run = made["runs"][0]
    run["observations"] = {"sizes": observed}
    finding = {"expectation": 0, "level": level, "holds": holds, "observed": observed}
    run["findings"] = [finding if holds else {**finding, "difference": "differs"}]
    return made


def _answer(verdict, level):
    """The fields of a run other than its verdict."""
    holds = verdict in ("passed", "informational", "departed")
    finding = {"expectation": 0, "level": level, "holds": holds}
    if holds:
        return {"observations": {"sizes": STATED}, "findings": [{**finding, "observed": STATED}]}
    if verdict in ("failed", "warned"):
        return {
            "observations": {"sizes": OTHER},
            "findings": [{**finding, "observed": OTHER, "difference": "at [1][0]: expected 1, observed 2"}],
        }
    kinds = {
        "unsupported": {"step": "input.batch_sizes", "reason": "it has no batches"},
        "errored": {"class": "Internal", "message": "a <bad> thing", "at_step": "dataset.range"},
        "timed_out": {"deadline_s": 30, "stderr": "waiting"},
        "crashed": {"by": "SIGSEGV", "stderr": "oh"},
        "protocol_error": {"what": "no JSON", "stderr": "hello"},
    }
    name = "error" if verdict == "errored" else verdict
    unheld = {**finding, "difference": "'sizes' was not observed"}
    return {name: kinds[verdict], "findings": [unheld]}


def _counts(cases):
    verdicts = [entry["verdict"] for entry in cases]
    return {
        "cases": len(cases),
        "matches": sum(entry["matches"] for entry in cases),
        "verdicts": {verdict: verdicts.count(verdict) for verdict in VERDICTS},
    }


def deviation(**fields):
    return {"kind": "by_design", "reason": "It pads | fills.", "references": ["pytorch/pytorch#25162"], **fields}


def result(name, implementation, cases, **fields):
    """A result of these cases; `fields` replace or add any."""
    required = [entry for entry in cases if entry["level"] == "required"]
    return {
        "format": 5,
        "complete": True,
        "as_expected": True,
        "started": "2026-01-02T03:04:05Z",
        "duration_s": 1.5,
        "testee": {
            "name": name,
            "implementation": implementation,
            "language": "python",
            "devices": ["CPU"],
            "conventions": {},
            "declared_conventions": [],
            "steps": ["dataset.range"],
        },
        "options": {"cases": "conformance/cases", "filter": "*", "enforce": [], "repeat": 1, "deadline_s": 30},
        "headline": {
            "promise": {"cases": 0, "kept": 0, "departed": 0, "broken": 0, "unsupported": 0},
            "required": {"cases": len(required), "passed": sum(e["verdict"] == "passed" for e in required)},
        },
        "summary": {level: _counts([e for e in cases if e["level"] == level]) for level in LEVELS},
        "unexpected": [],
        "cases": cases,
        **fields,
    }


def write(content):
    """The path of a new file with this JSON, or with this text."""
    handle, path = tempfile.mkstemp(suffix=".json", dir=os.environ.get("TEST_TMPDIR"))
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(content if isinstance(content, str) else json.dumps(content))
    return path
