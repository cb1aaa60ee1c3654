"""Parses the results of the compared programs: our result files and the peers' stdout.

samples_by_setting() maps each setting, such as "replicas:2", to its samples. The units that a
caller passes must be rates of the same quantity, where more is better.
"""

import math
import re
import statistics

from reports import json_text

LABEL = re.compile(r"(\w+):([^/]+)")


class InvalidResult(Exception):
    """A program exited with 0, but its result is incomplete, failed a check or has a value that
    is not positive and finite."""


def setting_of(entry, labels):
    """Returns the key by which entries of different programs are matched.

    setting_of({"name": "Train/workload:x/replicas:2/device:cpu"}, ["replicas"]) is
    "replicas:2"; a label that is not in the name is taken from the entry's fields, and omitted
    if absent from both.
    """
    named = dict(LABEL.findall(entry.get("run_name", entry["name"])))
    values = {label: named.get(label, entry.get(label)) for label in labels}
    return "/".join(f"{label}:{value}" for label, value in values.items() if value is not None)


def raise_if_failed(entry):
    """Raises InvalidResult if an entry reports a failed check.

    Our programs report "checks", the peers "trained" or "right", Google Benchmark
    "error_occurred".
    """
    verdicts = dict(entry.get("checks", {}))
    verdicts |= {key: entry[key] for key in ("trained", "right") if key in entry}
    failed = sorted(key for key, value in verdicts.items() if value is False)
    if entry.get("error_occurred"):
        failed.append(entry.get("error_message", "error_occurred"))
    if failed:
        raise InvalidResult(f"{entry['name']}: {', '.join(map(str, failed))}")


def samples_of(entry, units):
    """Returns the entry's samples, else its single value; [] if it has none.

    Values and our samples are read in the first of `units` present; a peer's list of samples is
    returned as is (its unit is the script's). Raises InvalidResult unless all are positive and
    finite.
    """
    samples = entry.get("samples", [])
    if isinstance(samples, dict):  # ours: {"steps_per_block": 25, UNIT: [...]}
        samples = next((samples[unit] for unit in units if unit in samples), [])
    samples = samples or [entry[unit] for unit in units if unit in entry][:1]
    if bad := [value for value in samples if not 0 < value < math.inf]:
        raise InvalidResult(f"{entry['name']}: sample {bad[0]} is not a positive finite number")
    return samples


def samples_by_setting(entries, labels, units):
    """{setting: samples} of the entries that have samples, or a value in one of `units`.

    Google Benchmark's repetitions become the samples of one setting; its aggregates
    (mean, median, stddev) are checked but not returned. Raises InvalidResult for an entry that
    failed a check or has a value that is not positive and finite.
    """
    result = {}
    for entry in entries:
        raise_if_failed(entry)
        if entry.get("run_type") == "aggregate":
            continue
        if samples := samples_of(entry, units):
            result.setdefault(setting_of(entry, labels), []).extend(samples)
    return result


def peer_entries(stdout):
    """Parses the last line of a peer's stdout: an entry, or an object with a list "benchmarks".

    Raises json_text.JsonError.
    """
    lines = stdout.strip().splitlines()
    result = json_text.parse(lines[-1] if lines else "", figures=True)
    return result.get("benchmarks", [result])


def our_entries(text):
    """The entries of one of our result files, or of Google Benchmark's.

    Raises json_text.JsonError, and InvalidResult if our run was interrupted.
    """
    # Google Benchmark writes NaN for some counters.
    result = json_text.parse(text, figures=True, constants=True)
    if result.get("context", {}).get("complete") is False:
        raise InvalidResult("our run was interrupted: its result is marked incomplete")
    return result["benchmarks"]


def median(samples):
    """A run's value: the median of its samples."""
    return statistics.median(samples)
