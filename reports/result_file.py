"""Reads result files: JSON in Google Benchmark's shape, written by //benchmarks.

A result has two parts. `context` tells the machine, versions, data and options;
`benchmarks` holds one entry a measured configuration, raw samples included.
Unknown fields are kept and ignored, as Google Benchmark asks of its readers.
"""

import json
import statistics

TRAIN_FIELDS = (
    "name",
    "replicas",
    "threads_per_replica",
    "global_batch_size",
    "images_per_second",
    "breakdown_ms",
    "samples",
    "epochs",
)


class ResultError(ValueError):
    """A result file that cannot be used; the message names the file and the place."""


def load(path):
    """Returns the parsed result of `path`.

    Errors: ResultError for a file that cannot be read, is no JSON, or lacks
    `context` or `benchmarks`.
    """
    try:
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
    except OSError as error:
        raise ResultError(f"[load] {path}: {error.strerror}") from error
    except ValueError as error:
        raise ResultError(f"[load] {path}: not JSON: {error}") from error
    for field, kind in (("context", dict), ("benchmarks", list)):
        if not isinstance(result, dict) or not isinstance(result.get(field), kind):
            raise ResultError(f"[load] {path}: no {kind.__name__} '{field}'")
    return result


def training_entries(result, path):
    """The entries of training runs, by replicas. Errors: ResultError.

    Every entry named Train/... must have the fields a report needs.
    """
    entries = [
        e for e in result["benchmarks"] if str(e.get("name", "")).startswith("Train/")
    ]
    for index, entry in enumerate(entries):
        missing = [field for field in TRAIN_FIELDS if field not in entry]
        if missing:
            raise ResultError(
                f"[load] {path}: benchmarks[{index}] lacks {', '.join(missing)}"
            )
    return sorted(entries, key=lambda e: (e["replicas"], e["name"]))


def spread(samples):
    """(lower quartile, median, upper quartile) of at least one sample."""
    if len(samples) < 2:
        return (samples[0],) * 3
    quartiles = statistics.quantiles(samples, n=4, method="inclusive")
    return tuple(quartiles)
