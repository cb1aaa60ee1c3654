"""Recordings and calibrations as JSON, both of format 1: schemas/recordings.schema.json, calibration.schema.json."""

import json
import os

from benchmarks.gate.recording import Calibration, GateError, Half, Recording, Recordings, Schedule, Side, Steps
from reports import json_file

FORMAT = 1
LATER_FIELDS = ("method", "stopped", "delta", "same_program", "entry", "cpu_field")
SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schemas")


def load(path):
    """(Recordings, Calibration or None) of a file; '-' is the standard input.

    Errors: ReportError for a file that json_file refuses or that does not fit the schema, another format included;
    GateError for a duplicate entry. recording.check checks the numbers.
    """
    return from_json(json_file.load(path, os.path.join(SCHEMAS, "recordings.schema.json"), figures=True))


def from_json(content):
    """As `load`, of parsed JSON that fits the schema."""
    calibration = content.get("calibration")
    return Recordings(
        machine=content["machine"],
        baseline=Side.from_json(content["baseline"]),
        candidate=Side.from_json(content["candidate"]),
        recordings=tuple(_recording(each) for each in content["recordings"]),
        seed=content["seed"],
        schedule=Schedule.from_json(content["schedule"]),
        metrics=tuple(content["metrics"]),
        required=tuple(content["required"]),
        **_later_fields(content),
    ), calibration and calibration_from_json(calibration)


def to_text(taken, calibration=None):
    """The file's text, a line a recording. The same values give the same bytes; `from_json` gives them back."""
    head = {
        "format": FORMAT,
        "machine": taken.machine,
        "baseline": taken.baseline.to_json(),
        "candidate": taken.candidate.to_json(),
        "seed": taken.seed,
        "schedule": taken.schedule.to_json(),
        "metrics": list(taken.metrics),
        "required": list(taken.required),
        "method": taken.method,
        "stopped": taken.stopped,
        "delta": taken.delta,
        "arguments": list(taken.arguments),
        "same_program": taken.same_program,
        "entry": taken.entry,
        "cpu_field": taken.cpu_field,
        "calibration": calibration and calibration_to_json(calibration),
    }
    fields = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    rows = ",\n".join(json.dumps(_recording_json(each), separators=(",", ":")) for each in taken.recordings)
    return "{\n" + ",\n".join(fields) + ',\n"recordings": [\n' + rows + "\n]}\n"


def _later_fields(content):
    """Of the fields that the first files of this format did not have, those that are there."""
    found = {name: content[name] for name in LATER_FIELDS if name in content}
    return {**found, "arguments": tuple(content.get("arguments", ()))}


def _recording(content):
    return Recording(content["first"], _half(content["baseline"]), _half(content["candidate"]))


def _recording_json(recording):
    return {
        "first": recording.first,
        "baseline": _half_json(recording.baseline),
        "candidate": _half_json(recording.candidate),
    }


def _half(content):
    entries = {each["name"]: Steps(tuple(each["cpu_ms"]), tuple(each["wall_ms"])) for each in content["entries"]}
    if len(entries) < len(content["entries"]):
        raise GateError(f"[load] entries {[each['name'] for each in content['entries']]}; wanted each name once")
    return Half(entries, content["elapsed_s"], content["own_cpu_s"], content["machine_busy_s"])


def _half_json(half):
    return {
        "elapsed_s": half.elapsed,
        "own_cpu_s": half.own,
        "machine_busy_s": half.busy,
        "entries": [
            {"name": name, "cpu_ms": list(steps.cpu), "wall_ms": list(steps.wall)}
            for name, steps in half.entries.items()
        ],
    }


def load_calibration(path):
    """The Calibration of a file. Errors: ReportError for one that cannot be read or does not fit the schema."""
    return calibration_from_json(json_file.load(path, os.path.join(SCHEMAS, "calibration.schema.json"), figures=True))


def calibration_to_text(calibration):
    """The file's text. The same values give the same bytes; `load_calibration` gives them back."""
    return json.dumps({"format": FORMAT, **calibration_to_json(calibration)}, indent=1) + "\n"


def calibration_from_json(content):
    """The Calibration of parsed JSON that fits the schema; the first ones were of turns by the usual schedule."""
    half_widths = {(each["entry"], each["metric"]): each["half_width"] for each in content["half_widths"]}
    later = {"method": content["method"]} if "method" in content else {}
    if "schedule" in content:
        later["schedule"] = Schedule.from_json(content["schedule"])
    return Calibration(content["machine"], half_widths, **later)


def calibration_to_json(calibration):
    return {
        "machine": calibration.machine,
        "method": calibration.method,
        "schedule": calibration.schedule.to_json(),
        "half_widths": [
            {"entry": entry, "metric": metric, "half_width": value}
            for (entry, metric), value in calibration.half_widths.items()
        ],
    }
