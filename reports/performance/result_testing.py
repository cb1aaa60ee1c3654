"""Small results of benchmarks, for the tests of reports."""

import json
import os
import statistics
import tempfile

from reports.performance import result_set

CACHES = [
    {"level": 1, "size": 32768, "type": "Data"},
    {"level": 1, "size": 65536, "type": "Instruction"},
    {"level": 2, "size": 1048576, "type": "Unified"},
]
MACHINE = {"cpu_model": "A CPU", "num_cpus": 2, "caches": CACHES}


def result(*entries, date="2026-01-01T10:00:00+00:00", **context):
    """A result file's content; context fields that are None are left out."""
    context = {"date": date, **MACHINE, **context}
    return {"context": {key: value for key, value in context.items() if value is not None}, "benchmarks": list(entries)}


def training(replicas=1, samples=(100.0,), **fields):
    """An entry of //benchmarks:scaling of so many images a second."""
    batch = 64 * replicas
    return {
        "name": f"Train/workload:w/replicas:{replicas}/global_batch_size:{batch}/device:cpu",
        "replicas": replicas,
        "threads_per_replica": 2 // replicas or 1,
        "global_batch_size": batch,
        "item": "image",
        "items_per_second": statistics.median(samples),
        "breakdown_ms": {"forward": 1.0, "backward": 2.0},
        "samples": {"steps_per_block": 25, "items_per_second": list(samples)},
        "epochs": [],
        **fields,
    }


def peer_training(implementation, replicas=1, samples=(50.0,), **fields):
    """An entry of one of the peers' scripts, as compare.py writes it."""
    batch = 64 * replicas
    name = f"Train/workload:w/implementation:{implementation}/replicas:{replicas}/global_batch_size:{batch}/device:cpu"
    return {
        "name": name,
        "program": f"{implementation}/{replicas}",
        "replicas": replicas,
        "global_batch_size": batch,
        "images_per_second": statistics.median(samples),
        "samples": list(samples),
        "trained": True,
        **fields,
    }


def rounds(make, figures, **fields):
    """An entry for each figure: make(samples=(figure,), round=1, ...)."""
    return [make(samples=(figure,), round=number, **fields) for number, figure in enumerate(figures, 1)]


def all_reduce(size, algbw, algorithm="shared_memory", **fields):
    """An entry of all_reduce_benchmark, which moves four bytes for each."""
    name = f"AllReduce/algorithm:{algorithm}/bytes:{size}/replicas:2/device:cpu/manual_time"
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "repetition_index": 0,
        "real_time": 1.0,
        "time_unit": "us",
        "algbw": algbw,
        "moved_bytes_per_second": 4 * algbw,
        **fields,
    }


def copy(moved, threads=2):
    name = f"Copy/algorithm:stream/bytes:104857600/threads:{threads}/manual_time"
    return {"name": name, "run_type": "iteration", "real_time": 1.0, "time_unit": "us", "moved_bytes_per_second": moved}


def write(folder, name, content):
    """The path of a file with this content, JSON or text."""
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(content if isinstance(content, str) else json.dumps(content))
    return path


def folder():
    return tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))


def load(*results):
    """The ResultSet of contents; their files are called 1, 2, ..."""
    place = folder()
    return result_set.load([write(place, f"{number}.json", content) for number, content in enumerate(results, 1)])
