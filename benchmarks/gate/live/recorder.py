"""How recordings are made: of each method its usual schedule and words, and what makes one recording.

A recorder has `method`, `arguments` (words that both commands get), `schedule` (it may change with the first recording)
and `record(first, report)`, which gives (Recording, compiler). `first`: the side that begins. `report` is called with
the number of turns so far.
"""

import contextlib
import dataclasses
import functools
import os

from benchmarks.gate.live import side_result
from benchmarks.gate.live.side import Deadlines, PacedProcess, UnknownOption, WholeProcess
from benchmarks.gate.process import machine
from benchmarks.gate.recording import SIDES, USUAL_CPU_FIELD, GateError, Half, Recording, Schedule, Steps
from processes.process_group import last_lines

# Of //benchmarks:scaling, unless the user names others.
PACED_WORDS = "--data=embedded --epochs=2 --steps=75 --replicas=1,2"
FRESH_WORDS = "--data=embedded --epochs=1 --steps=75 --replicas=1,2"
# Short repetitions: that they are many makes them exact.
BENCHMARK_WORDS = "--benchmark_min_time=0.05"
# Where a program gives no times of steps, its whole process is one.
WHOLE = "process"


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a gate's sides run: their files, their surroundings, their deadlines.

    `folder`: for results and stderr, removed by its creator. `options`: subprocess.Popen's for both sides.
    `stat`: where the machine's load is read.
    """

    folder: str
    options: dict
    deadlines: Deadlines = Deadlines()
    stat: str = machine.STAT

    def result(self, side):
        """The path that a side is to write its result to."""
        return os.path.join(self.folder, f"{side}.json")

    def start(self, kind, side, command, budget):
        """A started process of the given class; a result of an earlier recording is gone."""
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.result(side))
        return kind(side, command, self._log(side), budget, self.deadlines, **self.options)

    def read(self, load, side, command):
        """What `load(ResultFile)` makes of a side's result."""
        return load(side_result.ResultFile(self.result(side), side, command, tuple(last_lines(self._log(side)))))

    def _log(self, side):
        return os.path.join(self.folder, f"{side}.stderr")


@dataclasses.dataclass
class Load:
    """Seconds of a side's turns together: on the clock, of its own CPU time, and of the machine's (None: unknown)."""

    elapsed: float = 0.0
    own: float = 0.0
    busy: float | None = 0.0

    def add(self, elapsed, own, busy):
        self.elapsed += elapsed
        self.own += own
        self.busy = None if self.busy is None or busy is None else self.busy + busy

    def half(self, entries):
        """The Half of a recording with these entries."""
        return Half(entries, **vars(self))


@dataclasses.dataclass
class Recorder:
    """`sides`: side -> words of its command. `schedule`: the method's own unless the user asks for another."""

    sides: dict
    arguments: tuple
    schedule: Schedule
    place: Place
    budget: object

    def command(self, side, *words):
        return (*self.sides[side], *words, *self.arguments)

    def result_words(self, side):
        return f"--json={self.place.result(side)}", "--report=none"

    def run_whole(self, side, command, load):
        """(Load, result) of a process that runs to its end; `load` as Place.read has it. Errors: theirs."""
        watch = machine.Watch(self.place.stat)
        with self.place.start(WholeProcess, side, command, self.budget) as process:
            own = process.finish()
            elapsed, busy = watch.read()
        return Load(elapsed, own, busy), self.place.read(load, side, command)

    def run_both(self, commands, first, load):
        """(side -> Load, side -> result) of two commands, side -> words; `first` runs before the other one."""
        runs = {side: self.run_whole(side, commands[side], load) for side in _order(first)}
        return tuple({side: runs[side][part] for side in SIDES} for part in (0, 1))

    def count_whole(self, entries):
        """All steps of an entry become one turn, its beginning dropped: nothing is handed over within it."""
        steps = len(next(iter(entries.values())).cpu)
        dropped = max(self.schedule.warmup, self.schedule.behind_switch)
        self.schedule = dataclasses.replace(self.schedule, turn=steps, warmup=0, behind_switch=dropped)


class PacedRecorder(Recorder):
    """Two processes that know --pace: started together, they hand each other the machine, turn by turn. The second
    round begins with the other side, and so on."""

    method, usual_words = "paced", PACED_WORDS

    def record(self, first, report):
        commands = {
            side: self.command(side, f"--pace={self.schedule.turn}", *self.result_words(side)) for side in SIDES
        }
        loads = {side: Load() for side in SIDES}
        with contextlib.ExitStack() as running:
            processes = {
                side: running.enter_context(self.place.start(PacedProcess, side, commands[side], self.budget))
                for side in SIDES
            }
            for process in processes.values():
                process.wait_until_ready()
            order = _order(first)
            while self._take_turns([processes[side] for side in order], loads):
                order = order[::-1]
                report(processes[first].turns)
        results = {side: self.place.read(side_result.load, side, commands[side]) for side in SIDES}
        self._check(processes, results)
        return _recording(first, loads, results)

    def _take_turns(self, pair, loads):
        """Gives each one turn; whether they go on. Errors: GateError where only one does."""
        goes_on = [self._take_turn(process, loads[process.side]) for process in pair]
        if goes_on[0] != goes_on[1]:
            longer, shorter = pair if goes_on[0] else pair[::-1]
            raise GateError(
                f"[compare] turns: {shorter.side} {shorter.turns - 1}, {longer.side} {longer.turns} and "
                "more; wanted as many"
            )
        return goes_on[0]

    def _take_turn(self, process, load):
        watch = machine.Watch(self.place.stat)
        own = process.take_turn()
        if own is not None:
            elapsed, busy = watch.read()
            load.add(elapsed, own, busy)
        return own is not None

    def _check(self, processes, results):
        """Errors: GateError for sides that cannot be compared."""
        for side in SIDES:
            side_result.check_steps(results[side], side, processes[side].command)
        side_result.check_same(results["baseline"], results["candidate"])
        side_result.check_cpu_time(results, {side: processes[side].stop()[1] for side in SIDES})
        turns = processes["baseline"].turns - 1
        steps = sum(len(each.cpu) for each in results["baseline"].steps.values())
        if steps != turns * self.schedule.turn:
            raise GateError(
                f"[compare] {steps} steps in {turns} turns; wanted epochs of whole turns of {self.schedule.turn} steps"
            )


class FreshRecorder(Recorder):
    """A new process for each side and recording, for programs that know no --pace.

    Where both know --step_times, the median of an entry's steps after the warm-up counts, otherwise the whole process.
    """

    method, usual_words = "fresh", FRESH_WORDS
    step_words = ("--step_times",)

    def record(self, first, report):
        try:
            loads, results = self._run(first)
        except UnknownOption:
            if not self.step_words:
                raise
            self.step_words = ()
            loads, results = self._run(first)
        side_result.check_same(results["baseline"], results["candidate"])
        if self.step_words and all(map(side_result.has_steps, results.values())):
            side_result.check_cpu_time(results, {side: loads[side].own for side in SIDES})
            self.count_whole(results["baseline"].steps)
        else:
            self.step_words = ()
            self.schedule = dataclasses.replace(self.schedule, turn=1, warmup=0, behind_switch=0)
            results = {
                side: dataclasses.replace(
                    results[side], steps={WHOLE: Steps((1000 * loads[side].own,), (1000 * loads[side].elapsed,))}
                )
                for side in SIDES
            }
        return _recording(first, loads, results)

    def _run(self, first):
        commands = {side: self.command(side, *self.step_words, *self.result_words(side)) for side in SIDES}
        return self.run_both(commands, first, side_result.load)


@dataclasses.dataclass
class BenchmarkRecorder(Recorder):
    """Programs of Google Benchmark, a process for each side and recording; a step is a repetition.

    `entry`: the regular expression of benchmarks to run. `cpu_field`: as side_result.load_benchmarks has it. `warn` is
    called with a text where CPU time says little.
    """

    method, usual_words = "benchmark", BENCHMARK_WORDS

    entry: str
    cpu_field: str
    warn: object

    def record(self, first, report):
        commands = {
            side: self.command(
                side,
                f"--benchmark_filter={self.entry}",
                f"--benchmark_repetitions={self.schedule.turn}",
                f"--benchmark_out={self.place.result(side)}",
                "--benchmark_out_format=json",
            )
            for side in SIDES
        }
        load = functools.partial(side_result.load_benchmarks, cpu_field=self.cpu_field)
        loads, results = self.run_both(commands, first, load)
        side_result.check_same_benchmarks(results["baseline"], results["candidate"])
        self._warn_once(side_result.blind_benchmarks(results["baseline"]))
        return _recording(first, loads, results)

    def _warn_once(self, blind):
        if blind and self.cpu_field == USUAL_CPU_FIELD:
            self.warn(
                f"the CPU time of {', '.join(blind)} is under a tenth of the real time: it is that of one "
                "thread, and others do the work; --cpu_field names a counter that has it"
            )
        self.warn = lambda text: None


@dataclasses.dataclass
class StoredRecorder(Recorder):
    """The candidate's processes against a result that the baseline left on another day (a SideResult).

    Nothing is interleaved, and verdict.judge makes no more of it than a suspicion.
    """

    method, usual_words = "stored", FRESH_WORDS

    stored: side_result.SideResult

    def record(self, first, report):
        command = self.command("candidate", "--step_times", *self.result_words("candidate"))
        load, result = self.run_whole("candidate", command, side_result.load)
        side_result.check_steps(result, "candidate", command)
        side_result.check_same(self.stored, result)
        self.count_whole(self.stored.steps)
        return Recording("baseline", Half(self.stored.steps, 0.0, 0.0, None), load.half(result.steps)), ""


def _order(first):
    """Both sides, `first` before the other one."""
    return SIDES if first == SIDES[0] else SIDES[::-1]


def _recording(first, loads, results):
    """(Recording, compiler)."""
    halves = {side: loads[side].half(results[side].steps) for side in SIDES}
    return Recording(first, **halves), results["baseline"].compiler
