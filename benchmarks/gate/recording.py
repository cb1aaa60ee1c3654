"""What a gate records, as values: step times of a baseline and a candidate that took turns; and checks of them.

One recording is one pair of processes, the unit of everything that follows. A process trains some steps, hands the
machine to the other one and waits; so the n-th turns of both sides are next to each other in time.
"""

import dataclasses
import math

from reports.json_file import ReportError

METRICS = ("cpu", "wall")
# The program that the gate builds of commits, unless another is named.
TARGET = "//benchmarks:scaling"
# After the commit of a working tree with changes of its own.
CHANGED = "+changes"
SIDES = ("baseline", "candidate")
# How recordings were taken: turns of running processes, whole processes, programs of Google Benchmark, or processes of
# the candidate against a result of the baseline's that was there: then nothing is interleaved.
METHODS = ("paced", "fresh", "benchmark", "stored")
# Those whose turn is what the first recording says it is.
WHOLE_METHODS = ("fresh", "stored")
# The smallest slowdown that counts unless another is asked for.
SMALLEST_DELTA = 0.03
# What Google Benchmark calls a repetition's CPU time.
USUAL_CPU_FIELD = "cpu_time"


class GateError(ReportError):
    """Recordings that cannot be judged; the message names the place, what is there and what was wanted."""


@dataclasses.dataclass(frozen=True)
class Steps:
    """Times of all steps of one entry in one process, in order, warm-up included; milliseconds.

    `cpu` is the CPU time of the whole process during the step, all threads together.
    """

    cpu: tuple
    wall: tuple


@dataclasses.dataclass(frozen=True)
class Half:
    """One side of a recording.

    `entries`: name -> Steps. The rest covers the side's turns together, in seconds: `elapsed` time on the clock,
    `own` CPU time of the process, and `busy` CPU time of the whole machine as /proc/stat counts it (None
    where it could not be read).
    """

    entries: dict
    elapsed: float
    own: float
    busy: float | None


@dataclasses.dataclass(frozen=True)
class Recording:
    """A pair of processes. `first`: the side that had the first turn, 'baseline' or 'candidate'."""

    first: str
    baseline: Half
    candidate: Half

    @property
    def seconds(self):
        """What it took on the clock, both sides together."""
        return self.baseline.elapsed + self.candidate.elapsed


@dataclasses.dataclass(frozen=True)
class Schedule:
    """How the recordings were taken and when they are looked at.

    `turn`: steps a turn. `warmup`: steps from a process's beginning of an entry; a turn that begins within them is
    not used. `behind_switch`: steps dropped at a turn's beginning, where caches are the other side's. `looks`: numbers
    of recordings at which the gate may stop, rising; the last is the most it takes.
    """

    turn: int = 15
    warmup: int = 20
    behind_switch: int = 2
    looks: tuple = (4, 6, 9, 13, 19, 28)

    @classmethod
    def from_json(cls, content):
        return cls(**{**content, "looks": tuple(content["looks"])})

    def to_json(self):
        return {**vars(self), "looks": list(self.looks)}


# Of each method, unless the user asks for another one. Recordings of processes that do not take turns are shorter and
# less exact; with the first of them the turn becomes what the process says (live/recorder.py).
USUAL_SCHEDULES = {
    "paced": Schedule(),
    "fresh": Schedule(turn=1, behind_switch=0, looks=(8, 16, 24, 32)),
    "benchmark": Schedule(turn=5, warmup=0, behind_switch=1, looks=(8, 16, 24, 32)),
    "stored": Schedule(turn=1, behind_switch=0, looks=(4,)),
}


@dataclasses.dataclass(frozen=True)
class Side:
    """What ran: its command, the commit it was built from and a digest of its program file ('' where unknown).

    Of a program that the gate built, the command is the program's label.
    """

    command: tuple
    commit: str = ""
    program: str = ""

    @classmethod
    def from_json(cls, content):
        return cls(tuple(content["command"]), content["commit"], content.get("program", ""))

    def to_json(self):
        return {**vars(self), "command": list(self.command)}

    @property
    def is_built(self):
        return self.command[0].startswith("//")

    @property
    def is_changed(self):
        """Whether it was built of more than its commit."""
        return self.commit.endswith(CHANGED)


@dataclasses.dataclass(frozen=True)
class Recordings:
    """Everything a gate took, in order of time.

    `machine`: its fingerprint, label -> text or number, with `cores`. `seed` drew who went first. `metrics`: those to
    judge; `required`: those of them without which the gate is not fine. `method`: one of METHODS. `stopped`: why the
    gate ended before it was settled, '' where it did not. `delta`: the smallest slowdown that counts, a share of the
    time (0.03: 3 %). `arguments`: what both commands got in addition to the gate's own. `same_program`: both commands
    start the same file with the same arguments, however spelled. `entry`, `cpu_field`: of method 'benchmark', the
    regular expression of the benchmarks and what was taken as their CPU time.
    """

    machine: dict
    baseline: Side
    candidate: Side
    recordings: tuple
    seed: int = 0
    schedule: Schedule = Schedule()
    metrics: tuple = METRICS
    required: tuple = ("cpu",)
    method: str = "paced"
    stopped: str = ""
    delta: float = SMALLEST_DELTA
    arguments: tuple = ()
    same_program: bool = False
    entry: str = ""
    cpu_field: str = USUAL_CPU_FIELD

    def entry_names(self):
        """Names of the entries, in the file's order; () without recordings."""
        return tuple(self.recordings[0].baseline.entries) if self.recordings else ()

    def tests(self):
        """(entry, metric) of all that is judged."""
        return [(entry, metric) for entry in self.entry_names() for metric in self.metrics]

    def is_same_program(self):
        """Whether a program was compared with itself (A/A)."""
        return self.same_program or self.baseline == self.candidate


@dataclasses.dataclass(frozen=True)
class Calibration:
    """How exact gates are on a machine.

    `half_widths`: (entry, metric) -> half-width of the 95 % interval of the log ratio, at the last look, where both
    sides were the same program. `machine`: the fingerprint of where that was; `method` and `schedule`: how.
    """

    machine: dict
    half_widths: dict
    method: str = "paced"
    schedule: Schedule = Schedule()


def check(taken):
    """Returns `taken` (Recordings) if they are valid, whatever their numbers are.

    Errors: GateError for entries, steps or sides that do not match, for a time that is no positive number, and for
    turns that cannot be cut out.
    """
    _check_schedule(taken)
    names = taken.entry_names()
    for number, recording in enumerate(taken.recordings):
        for side in SIDES:
            _check_half(getattr(recording, side), names, taken.schedule, f"recording {number}, {side}")
        for name in names:
            got = len(recording.candidate.entries[name].cpu)
            wanted = len(recording.baseline.entries[name].cpu)
            if got != wanted:
                raise GateError(
                    f"[judge] recording {number}, {name}: {got} steps of the candidate, {wanted} of the "
                    "baseline; wanted as many"
                )
    return taken


def _check_schedule(taken):
    looks = taken.schedule.looks
    if list(looks) != sorted(set(looks)) or looks[0] < 2:
        raise GateError(f"[judge] looks at {list(looks)} recordings; wanted rising numbers from 2 on")
    if taken.schedule.behind_switch >= taken.schedule.turn:
        raise GateError(
            f"[judge] {taken.schedule.behind_switch} steps dropped of a turn of {taken.schedule.turn}; wanted fewer"
        )
    if not set(taken.required) <= set(taken.metrics):
        raise GateError(f"[judge] required {list(taken.required)}; wanted some of {list(taken.metrics)}")


def _check_half(half, names, schedule, place):
    if not half.entries or set(half.entries) != set(names):
        raise GateError(
            f"[judge] {place}: entries {sorted(half.entries)}; wanted {sorted(names)}, those of the first baseline"
        )
    for name, steps in half.entries.items():
        count = len(steps.cpu)
        if len(steps.wall) != count:
            raise GateError(
                f"[judge] {place}, {name}: {len(steps.wall)} wall times; wanted {count}, as many as CPU times"
            )
        if count % schedule.turn or count <= _first_used(schedule):
            raise GateError(
                f"[judge] {place}, {name}: {count} steps; wanted whole turns of {schedule.turn}, and more "
                f"than {_first_used(schedule)}"
            )
        for metric in METRICS:
            _check_times(getattr(steps, metric), f"{place}, {name}, {metric}")
    _check_load(half, place)


def _first_used(schedule):
    return -(-schedule.warmup // schedule.turn) * schedule.turn


def _check_times(times, place):
    for step, time in enumerate(times):
        if not (math.isfinite(time) and time > 0):
            raise GateError(f"[judge] {place}, step {step}: {time} ms; wanted a positive number")


def _check_load(half, place):
    for label in ("elapsed", "own", "busy"):
        value = getattr(half, label)
        if value is not None and not (math.isfinite(value) and value >= 0):
            raise GateError(f"[judge] {place}: {label} {value} s; wanted a number from 0 on")
