"""Timing of one repeated operation, and its report, for the micro peers."""

import json
import statistics
import time


def measure(operation, repetitions, warmup):
    """Seconds of each of `repetitions` calls, after `warmup` untimed ones."""
    for _ in range(warmup):
        operation()
    seconds = []
    for _ in range(repetitions):
        started = time.perf_counter()
        operation()
        seconds.append(time.perf_counter() - started)
    return seconds


def all_reduce_entry(implementation, size, replicas, seconds, right):
    """A result entry; algbw is bytes over time, busbw as nccl-tests derives it."""
    median = statistics.median(seconds)
    bandwidth = size / median
    return {
        "name": f"AllReduce/implementation:{implementation}/bytes:{size}/replicas:{replicas}/device:cpu",
        "replicas": replicas,
        "bytes": size,
        "microseconds": median * 1e6,
        "algbw": bandwidth,
        "busbw": bandwidth * 2 * (replicas - 1) / replicas,
        "bytes_per_second": bandwidth,
        "samples": [size / second for second in seconds],
        "right": bool(right),
    }


def rate_entry(name, unit, rates, **more):
    """A result entry of a rate, e.g. unit "batches_per_second"."""
    return {"name": name, unit: statistics.median(rates), "samples": rates} | more


def report(versions, entries):
    """Prints the JSON object that is a script's last line."""
    print(json.dumps({"versions": versions, "benchmarks": entries}), flush=True)
