"""Reads what a simulation is about: a series file, and results of our own programs that replace parts of it.

    series, batches = read_series("vgg16.json")
    series = with_scaling(series, json_file.load("results/scaling-2026-11-28.json"))
    series = with_trace(series, json_file.load("results/trace.json"))
    series = with_sweep(series, json_file.load("results/all_reduce.json"))
"""

import dataclasses
import os

from benchmarks.simulate.series import Measurement, Series
from benchmarks.simulate.step_trace import step_shape
from benchmarks.simulate.sweep import fit_level, sweep_points
from reports import json_file
from reports.json_file import ReportError
from reports.performance import entry_name, result_file

SCHEMA = os.path.join(os.path.dirname(__file__), "schemas/series.schema.json")


def read_series(path: str) -> tuple[Series, list[tuple[int, float]]]:
    """The series, and (batch, throughput) of one replica at several batches. Errors: ReportError with file and field."""
    content = json_file.load(path, schema=SCHEMA, figures=True)
    batches = [(point["batch"], point["throughput"]) for point in content.get("batches", [])]
    return Series.from_json(content), batches


def with_scaling(series: Series, result: dict) -> Series:
    """The series with the throughputs of a result of //benchmarks:scaling.

    Replicas of all workers count together. Of each number of replicas that the result has more than once, the first
    counts. Errors: ReportError for a result without trainings, or with replicas that have different numbers of threads:
    one step then differs from another.
    """
    measured, threads, examples = {}, set(), "images"
    for entry in result["benchmarks"]:
        name = entry_name.parse(entry["name"])
        if name.path != "Train" or "items_per_second" not in entry:
            continue
        replicas = name.number("replicas") * (name.number("workers") or 1)
        threads.add(entry.get("threads_per_replica"))
        examples = result_file.item(entry)
        measured.setdefault(replicas, Measurement(replicas, entry["items_per_second"]))
    if not measured:
        raise ReportError("[with_scaling] the result has no training: it is one of //benchmarks:scaling?")
    if len(threads) > 1:
        raise ReportError(
            f"[with_scaling] replicas have {' or '.join(map(str, sorted(threads)))} threads, so their steps differ: measure "
            "with --threads so that each has as many"
        )
    points = tuple(measured[replicas] for replicas in sorted(measured))
    seconds = series.batch * points[0].replicas / points[0].throughput
    return dataclasses.replace(series, measured=points, micro_batch_seconds=seconds, examples=examples)


def with_trace(series: Series, trace: dict) -> Series:
    """The series with a step as a trace of //benchmarks:scaling shows it. Errors: those of step_shape."""
    shape = step_shape(trace)
    return dataclasses.replace(series, shape=shape, gradient_bytes=sum(size for size, _ in shape.buckets))


def with_sweep(series: Series, result: dict) -> Series:
    """The series with levels as an all-reduce sweep measured them: entries of one worker are inside a node, those of
    several between nodes. Errors: ReportError without entries, and those of fit_level."""
    points = sweep_points(result)
    levels = {"inside": [], "between": []}
    for point in points:
        levels["inside" if point.workers == 1 else "between"].append(point)
    found = {name: fit_level(of_level) for name, of_level in levels.items() if of_level}
    if not found:
        raise ReportError("[with_sweep] the result has no AllReduce entry with a size: it is one of //benchmarks/micro?")
    return dataclasses.replace(series, network=dataclasses.replace(series.network, **found))
