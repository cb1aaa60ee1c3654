"""A training for `lockstep gate`: it takes turns with another version of itself, and writes how long its steps took."""

import argparse
import json
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("--pace", type=int)  # steps of a turn
parser.add_argument("--json")  # where to write the result
parser.add_argument("--report")  # the gate says none
options = parser.parse_args()

STEPS = 300  # a run should take two seconds or more


def train_step():  # put a step of your training here
    return sum(i * i for i in range(100_000))


def hand_over():
    if options.pace:
        print(f"turn {time.process_time():.6f}", flush=True)
        if not sys.stdin.readline():
            sys.exit("stdin was closed while waiting for a turn")


wall, cpu = [], []
hand_over()
for step in range(1, STEPS + 1):
    wall_begin, cpu_begin = time.perf_counter(), time.process_time()
    train_step()
    wall.append(1000 * (time.perf_counter() - wall_begin))
    cpu.append(1000 * (time.process_time() - cpu_begin))
    if step == STEPS or (options.pace and step % options.pace == 0):
        hand_over()

result = {"context": {}, "benchmarks": [{"name": "train", "samples": {"step_ms": wall, "step_cpu_ms": cpu}}]}
if options.json:
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(result, file)
