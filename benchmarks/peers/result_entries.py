"""Reads what the compared programs print, ours and the peers'.

Each becomes Figures: a mapping from a setting, such as "replicas:2", to its samples,
all in one unit where more is better.
"""

import math
import re
import statistics

from reports import json_text

LABEL = re.compile(r"(\w+):([^/]+)")


class Wrong(Exception):
    """A program ended well but reports that its results are wrong."""


def setting_of(entry, labels):
    """The part of an entry that must agree for two to be compared.

    setting_of({"name": "Train/workload:x/replicas:2/device:cpu"}, ["replicas"]) is
    "replicas:2"; a label that is not in the name is taken from the entry's fields, and left
    out where it is not there either.
    """
    named = dict(LABEL.findall(entry.get("run_name", entry["name"])))
    values = {label: named.get(label, entry.get(label)) for label in labels}
    return "/".join(f"{k}:{value}" for k, value in values.items() if value is not None)


def check(entry):
    """Raises Wrong where an entry reports a failed check."""
    verdicts = dict(entry.get("checks", {}))
    verdicts |= {key: entry[key] for key in ("trained", "right") if key in entry}
    failed = sorted(key for key, value in verdicts.items() if value is False)
    if entry.get("error_occurred"):
        failed.append(entry.get("error_message", "error_occurred"))
    if failed:
        raise Wrong(f"{entry['name']}: {', '.join(map(str, failed))}")


def samples_of(entry, units):
    """An entry's samples, else its one figure, in the first of `units` that it has.

    Raises Wrong for one that is not positive.
    """
    samples = entry.get("samples", [])
    if isinstance(samples, dict):  # ours: {"steps_per_block": 25, UNIT: [...]}
        samples = next((samples[unit] for unit in units if unit in samples), [])
    samples = samples or [entry[unit] for unit in units if unit in entry][:1]
    if bad := [value for value in samples if not 0 < value < math.inf]:
        raise Wrong(f"{entry['name']}: a figure is {bad[0]}; wanted a number above 0")
    return samples


def figures(entries, labels, units):
    """{setting: samples} of the entries that have one of `units`.

    Google Benchmark's repetitions become the samples of one setting; its aggregates
    (mean, median, stddev) are left out.
    """
    result = {}
    for entry in entries:
        check(entry)
        if entry.get("run_type") == "aggregate":
            continue
        if samples := samples_of(entry, units):
            result.setdefault(setting_of(entry, labels), []).extend(samples)
    return result


def peer_entries(stdout):
    """The entries of a peer's script: one object, or several in "benchmarks"."""
    lines = stdout.strip().splitlines()
    result = json_text.parse(lines[-1] if lines else "", figures=True)
    return result.get("benchmarks", [result])


def our_entries(text):
    """The entries of one of our result files, or of Google Benchmark's."""
    result = json_text.parse(text, figures=True, constants=True)
    if result.get("context", {}).get("complete") is False:
        raise Wrong("our run was interrupted: its result is marked incomplete")
    return result["benchmarks"]


def central(samples):
    """A run's value: the median of its samples."""
    return statistics.median(samples)
