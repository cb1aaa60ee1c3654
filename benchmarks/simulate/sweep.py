"""Fits a level of the network to an all-reduce sweep: times for several sizes, as //benchmarks/micro measures them.

    points = sweep_points(json_file.load("all_reduce.json"))
    fit_level([point for point in points if point.replicas <= 8])     # Level(130e9, 3.4e-6)
"""

import dataclasses

import numpy as np
from scipy.optimize import nnls

from benchmarks.simulate.network import Level
from reports.json_file import ReportError
from reports.performance import entry_name

# Of a time unit in a result file, in seconds.
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


@dataclasses.dataclass(frozen=True)
class SweepPoint:
    """An all-reduce of `size` bytes between so many replicas, on so many workers."""

    size: int
    replicas: int
    workers: int
    seconds: float


def sweep_points(result: dict) -> list[SweepPoint]:
    """The AllReduce entries of a result file that have a size, without statistics over them."""
    points = []
    for entry in result["benchmarks"]:
        name = entry_name.parse(entry["name"])
        size, replicas = name.number("bytes"), name.number("replicas")
        if name.path != "AllReduce" or not size or not replicas or entry.get("run_type") == "aggregate":
            continue
        workers = name.number("workers") or 1
        seconds = entry["real_time"] * _SECONDS[entry["time_unit"]]
        points.append(SweepPoint(size, replicas * workers, workers, seconds))
    return points


def fit_level(points: list[SweepPoint]) -> Level:
    """The latency and the bandwidth of a ring that fit best, with errors relative to each time.

    Errors: ReportError for fewer than two sizes, which do not tell latency from bandwidth.
    """
    if len({point.size for point in points}) < 2:
        raise ReportError(
            f"[fit_level] an all-reduce sweep of {len({point.size for point in points})} sizes does not tell latency from "
            "bandwidth: measure a small and a large one"
        )
    rows = [
        (
            2 * (point.replicas - 1) / point.seconds,
            2 * (point.replicas - 1) / point.replicas * point.size / point.seconds,
        )
        for point in points
    ]
    scale = np.abs(rows).max(axis=0)
    (latency, per_byte), _ = nnls(np.array(rows) / scale, np.ones(len(rows)))
    if per_byte == 0:
        raise ReportError("[fit_level] larger all-reduces took no longer than small ones: measure larger sizes")
    return Level(scale[1] / per_byte, latency / scale[0])
