"""A program that a gate can run, for tests: pretends to train, and fails as its options say.

Its step times are made up, so that what a gate says of them is known, unless --work_us asks for real work. With Google
Benchmark's options it writes that one's file. It needs nothing but Python's own library.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time

CPU_MS, WALL_MS = 4.0, 2.0
BENCHMARKS = ("Sort/1000", "Sort/2000", "Copy")
BENCHMARK_REAL, BENCHMARK_CPU = 20.0, 10.0
# Word -> options that the program does not know then.
OLD = {"--old": ("--pace", "--step_times"), "--unpaced": ("--pace",), "--unplanted": ("--plant_work_us",)}


def parse(arguments):
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--json")
    parser.add_argument("--report")
    parser.add_argument("--entries", default="Train/a", help="separated by commas; they train one after the other")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--images", default="embedded")
    parser.add_argument("--slower", type=float, default=0.0, help="percent, in CPU and wall time")
    parser.add_argument("--waits", type=float, default=0.0, help="percent, in wall time only")
    parser.add_argument("--work_us", type=int, default=0, help="real work in each step; its times are measured")
    parser.add_argument("--whole_work_ms", type=float, default=0, help="real work before the first step")
    parser.add_argument("--plant_at_replicas", default="")
    parser.add_argument("--started", help="a file to which it appends its number")
    parser.add_argument("--in_turn", type=int, default=2, help="where it does what follows; 0: before the first one")
    parser.add_argument(
        "--misbehave",
        default="",
        choices=(
            "",
            "exit",
            "signal",
            "hang",
            "hang_on",
            "babble",
            "bad_line",
            "backwards",
            "close_output",
            "stray",
            "daemon",
            "flood",
            "slow",
        ),
    )
    parser.add_argument(
        "--result",
        default="whole",
        choices=("whole", "none", "incomplete", "no_json", "no_steps", "empty", "twice", "fewer"),
    )
    # Programs of earlier days know neither option, or not the first.
    age = next((word for word in OLD if word in arguments), None)
    for name, options in (
        ("--pace", {"type": int}),
        ("--step_times", {"action": "store_true"}),
        ("--plant_work_us", {"type": int, "default": 0}),
    ):
        if name not in OLD.get(age, ()):
            parser.add_argument(name, **options)
    return parser.parse_args(
        [word for word in arguments if word not in OLD],
        argparse.Namespace(pace=None, step_times=False, plant_work_us=0),
    )


class Program:
    def __init__(self, options):
        self.options, self.cpu, self.turns = options, 0.0, 0

    def hand_over(self):
        self.misbehave()
        if self.options.work_us:
            self.cpu = time.process_time()
        print(f"turn {self.cpu:.6f}", flush=True)
        if not sys.stdin.readline():
            sys.exit("the input ended")
        self.turns += 1

    def misbehave(self):
        how = self.options.misbehave
        if not how or self.turns != self.options.in_turn:
            return
        print(f"now it does {how}", file=sys.stderr, flush=True)
        MISDEEDS[how]()

    def step(self, entry):
        if not self.options.work_us:
            slower = 1 + self.options.slower / 100
            if entry.endswith(f"/replicas:{self.options.plant_at_replicas}"):
                slower += self.options.plant_work_us / (1000 * CPU_MS)
            self.cpu += CPU_MS * slower / 1000
            return CPU_MS * slower, WALL_MS * slower * (1 + self.options.waits / 100)
        cpu, wall = time.process_time(), time.perf_counter()
        work(1e-6 * self.options.work_us * (1 + self.options.slower / 100))
        return 1000 * (time.process_time() - cpu), 1000 * (time.perf_counter() - wall)

    def train(self):
        pace = self.options.pace
        entries = {name: [] for name in self.options.entries.split(",")}
        if pace:
            self.hand_over()
        for entry, times in entries.items():
            for step in range(1, self.options.steps + 1):
                times.append(self.step(entry))
                if pace and (step % pace == 0 or step == self.options.steps):
                    self.hand_over()
        return entries


def work(seconds):
    start = time.process_time()
    while time.process_time() - start < seconds:
        pass


def babble():
    while True:
        sys.stdout.write("no line end " * 1000)


def hang():
    time.sleep(300)


def hang_on():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    hang()


def flood():
    while True:
        sys.stderr.write("no end " * 10000)


def leave_a_daemon():
    daemon = subprocess.Popen(
        ["sleep", "300"],
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    print(f"daemon {daemon.pid}", file=sys.stderr, flush=True)


def leave_a_stray():
    # It holds stdout open, as a forgotten worker would.
    subprocess.Popen(
        [sys.executable, "-c", "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(300)"]
    )


MISDEEDS = {
    "exit": lambda: sys.exit(3),
    "signal": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "hang": hang,
    "hang_on": hang_on,
    "babble": babble,
    "bad_line": lambda: print("turn about", flush=True),
    "backwards": lambda: print("turn 0.0", flush=True),
    "close_output": lambda: os.close(1) or hang(),  # type: ignore[func-returns-value]
    "stray": leave_a_stray,
    "daemon": leave_a_daemon,
    "flood": flood,
    "slow": lambda: time.sleep(0.5),
}


def result(options, entries):
    shapes = {
        name: {"step_cpu_ms": [cpu for cpu, _ in times], "step_ms": [wall for _, wall in times]}
        for name, times in entries.items()
    }
    if options.result == "no_steps" or not (options.pace or options.step_times):
        shapes = dict.fromkeys(shapes, {})
    if options.result == "fewer":
        shapes = {name: {kind: times[:-15] for kind, times in samples.items()} for name, samples in shapes.items()}
    listed = [
        {"name": name, "replicas": 1, "seed": options.seed, "samples": samples} for name, samples in shapes.items()
    ]
    return {
        "context": {
            "complete": options.result != "incomplete",
            "compiler": "example 1.0",
            "data": {"source": options.images},
            "options": {"steps": options.steps},
        },
        "benchmarks": listed * (2 if options.result == "twice" else 1),
    }


def parse_benchmark(arguments):
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--started", help="a file to which it appends its number")
    parser.add_argument("--benchmark_filter", required=True)
    parser.add_argument("--benchmark_repetitions", type=int, required=True)
    parser.add_argument("--benchmark_out", required=True)
    parser.add_argument("--benchmark_out_format", choices=("json",), required=True)
    parser.add_argument("--names", default=",".join(reversed(BENCHMARKS)))
    parser.add_argument("--slower", type=float, default=0.0, help="percent")
    parser.add_argument("--first", type=float, default=5.0, help="how many times as long the first repetition takes")
    parser.add_argument("--unit", default="us")
    parser.add_argument("--cpu", type=float, default=BENCHMARK_CPU)
    parser.add_argument("--error", default="")
    return parser.parse_args(arguments)


def repetitions(options, name):
    for number in range(options.benchmark_repetitions):
        factor = (1 + options.slower / 100) * (options.first if number == 0 else 1)
        yield {
            "name": name,
            "run_name": name,
            "family_index": BENCHMARKS.index(name),
            "run_type": "iteration",
            "repetitions": options.benchmark_repetitions,
            "repetition_index": number,
            "iterations": 1000 + number,
            "real_time": BENCHMARK_REAL * factor,
            "cpu_time": options.cpu * factor,
            "time_unit": options.unit,
            "own_us": 3.0 * factor,
        }


def benchmark(options):
    found = [name for name in options.names.split(",") if re.search(options.benchmark_filter, name)]
    # As with random interleaving, a later repetition may stand before an earlier one.
    entries = [run for name in found for run in reversed(list(repetitions(options, name)))]
    entries += [
        {**next(repetitions(options, name)), "name": f"{name}_mean", "run_type": "aggregate", "aggregate_name": "mean"}
        for name in found
    ]
    if options.error:
        entries[0].update(error_occurred=True, error_message=options.error)
    with open(options.benchmark_out, "w", encoding="utf-8") as file:
        json.dump({"context": {"compiler": "example 1.0"}, "benchmarks": entries}, file)


def train(options):
    print("it trains")
    work(options.whole_work_ms / 1000)
    entries = Program(options).train()
    if options.result != "none" and options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            text = {"no_json": "nothing", "empty": ""}.get(options.result)
            file.write(json.dumps(result(options, entries)) if text is None else text)


def main():
    is_benchmark = any(word.startswith("--benchmark_") for word in sys.argv)
    options = (parse_benchmark if is_benchmark else parse)(sys.argv[1:])
    if options.started:
        with open(options.started, "a", encoding="ascii") as file:
            file.write(f"{os.getpid()}\n")
    (benchmark if is_benchmark else train)(options)


if __name__ == "__main__":
    main()
