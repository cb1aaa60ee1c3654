"""Reads result files: JSON in Google Benchmark's shape, written by //benchmarks.

A result has two parts. `context` tells the machine, versions, data and options;
`benchmarks` holds one entry a measured configuration, raw samples included.
Unknown fields are kept and ignored, as Google Benchmark requires of readers.
"""

import statistics

from reports import json_file
from reports.json_file import ReportError

TRAIN_FIELDS = (
    "name",
    "replicas",
    "threads_per_replica",
    "global_batch_size",
    "items_per_second",
    "breakdown_ms",
    "samples",
    "epochs",
)


def load(path, schema=None):
    """Returns the parsed result of `path`.

    Google Benchmark writes NaN of some counters: it may be where the JSON schema at
    the path `schema` forbids a number. Errors: ReportError for a file that json_file
    refuses, has no `context` or `benchmarks`, or does not fit the schema.
    """
    return json_file.load(path, schema, check=_check_and_update, figures=True, constants=schema is not None)


def _check_and_update(result, path):
    _check(result, path)
    _as_of_today(result)


def _as_of_today(result):
    """Updates a file from before 2026-11-28, when all that a training had were images."""
    data = result["context"].get("data")
    if isinstance(data, dict) and "train_images" in data:
        data.update({"train_examples": data.pop("train_images"), "test_examples": data.pop("test_images", None)})
    for entry in result["benchmarks"]:
        if isinstance(entry, dict) and isinstance(entry.get("epochs"), list) and "images_per_second" in entry:
            entry["item"] = "image"
            for part in (entry, entry.get("samples"), *entry["epochs"]):
                if isinstance(part, dict) and "images_per_second" in part:
                    part["items_per_second"] = part.pop("images_per_second")


def item(entry):
    """What the examples of a training are, in the plural: "images"."""
    return f"{entry.get('item', 'image')}s"


def quality(entry):
    """How well a training's model does: `name` (of fields of its epochs), `label` and `unit`, for people."""
    return entry.get("quality") or {"name": "accuracy", "label": "accuracy", "unit": "%"}


def _check(result, path):
    for field, kind in (("context", dict), ("benchmarks", list)):
        if not isinstance(result, dict) or not isinstance(result.get(field), kind):
            raise ReportError(f"[load] {path}: no {kind.__name__} '{field}'")


def training_entries(result, path):
    """The entries of training runs, by workers and replicas. Errors: ReportError.

    Every entry named Train/... must have the fields a report needs.
    """
    entries = [e for e in result["benchmarks"] if str(e.get("name", "")).startswith("Train/")]
    for entry in entries:
        missing = [field for field in TRAIN_FIELDS if field not in entry]
        if missing:
            raise ReportError(f"[load] {path}: {entry['name']} has no {', '.join(missing)}")
    return sorted(entries, key=lambda e: (e.get("workers", 1), e["replicas"], e["name"]))


def spread(samples):
    """(lower quartile, median, upper quartile) of at least one sample."""
    if len(samples) < 2:
        return (samples[0],) * 3
    quartiles = statistics.quantiles(samples, n=4, method="inclusive")
    return tuple(quartiles)
