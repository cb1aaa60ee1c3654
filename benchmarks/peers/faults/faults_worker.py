"""What the worker programs of //benchmarks/faults have in common: flags, data, words.

A worker trains, saves, resumes where the last checkpoint is, and reports it in lines
of JSON (docs/formats.md). The training is that of benchmarks/faults/sparse_training.h:
its numbers are exact, in whatever order they are added.
"""

import argparse
import json
import os
import time

import numpy as np

FEATURES = 8192
EXAMPLES = 124
BATCH = 8
STEPS_PER_EPOCH = -(-EXAMPLES // BATCH)
LEARNING_RATE, MOMENTUM = 0.25, 1.0
KEPT_CHECKPOINTS = 2


def say(event, **fields):
    """A line with the time of CLOCK_MONOTONIC, written at once."""
    line = json.dumps({"event": event, "time": time.monotonic()} | fields) + "\n"
    os.write(1, line.encode())


def examples():
    """Example i has two features that are not 0 and that no other example has."""
    rows = np.zeros((EXAMPLES, FEATURES), np.float32)
    for i in range(EXAMPLES):
        rows[i, 7 * i] = 1 + i % 3
        rows[i, 7 * i + 3] = -(1 + i % 2)
    return rows


def changed_weights(weights):
    """Those that are not 1, by the number of their feature."""
    return [[i, float(w)] for i, w in enumerate(np.ravel(weights)) if w != 1]


def parse(description):
    parser = argparse.ArgumentParser(description=description)
    add = parser.add_argument
    add("--directory", required=True, help="of the checkpoints, the same for all")
    add("--epochs", type=int, default=3, help="of 16 steps (3)")
    add("--save_every", type=int, default=8, help="steps (8)")
    add("--timeout", type=float, default=0, help="seconds; 0: the framework's own")
    add("--join_timeout", type=float, default=0, help="seconds; 0: the framework's own")
    return parser.parse_args()


def cluster():
    """(addresses of the workers, this one's number), of TF_CONFIG."""
    config = json.loads(os.environ["TF_CONFIG"])
    return config["cluster"]["worker"], config["task"]["index"]


def run(work):
    """Calls `work`; gives the exit status."""
    try:
        work()
    except Exception as error:
        say("error", **{"class": type(error).__name__, "message": str(error)[:500]})
        return 1
    say("ended")
    return 0
