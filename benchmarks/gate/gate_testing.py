"""What the gate's tests share: recordings with chosen step times, lines of a history with chosen log ratios, folders,
and the gate as a user starts it, on sides that are the program of program_testing.py."""

import contextlib
import dataclasses
import datetime
import io
import os
import shlex
import signal
import sys
import tempfile
import time
import unittest
from unittest import mock

from benchmarks.gate import gate, recording_file
from benchmarks.gate.history import Line
from benchmarks.gate.recording import Half, Recording, Recordings, Schedule, Side, Steps

MACHINE = {"cpu": "Example CPU", "cores": 2}
# Two turns of warm-up, then two used ones.
SCHEDULE = Schedule(turn=15, warmup=20, behind_switch=2, looks=(4, 6, 9, 13, 19, 28))
STEPS = 60
QUIET, LOADED = 0.0, 0.5
# Of the first night.
BEGIN = datetime.datetime(2026, 9, 1, 3, tzinfo=datetime.timezone.utc)
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "program_testing.py")
# Without site packages it starts in a few hundredths of a second.
PYTHON = (sys.executable, "-I", "-S")
# Seconds within which a process that was killed is gone.
SOON = 10.0


def half(cpu, wall, others=QUIET, names=("Train/a",)):
    """A half of 1 s in which every step of every entry took `cpu` and `wall` ms; others used a share of two cores."""
    steps = Steps((cpu,) * STEPS, (wall,) * STEPS)
    return Half(dict.fromkeys(names, steps), elapsed=1.0, own=1.0, busy=1.0 + 2 * others)


def pair(cpu_ratio=1.0, wall_ratio=None, speed=1.0, others=QUIET, names=("Train/a",)):
    """A recording whose candidate takes `cpu_ratio` and `wall_ratio` (the same) times as long as the baseline."""
    wall_ratio = cpu_ratio if wall_ratio is None else wall_ratio
    return Recording(
        "baseline",
        half(4.0 * speed, 2.0 * speed, others, names),
        half(4.0 * speed * cpu_ratio, 2.0 * speed * wall_ratio, others, names),
    )


def recordings(pairs, **changes):
    """Recordings of different commits."""
    fields = {
        "machine": MACHINE,
        "baseline": Side(("train",), "a1"),
        "candidate": Side(("train",), "b2"),
        "recordings": tuple(pairs),
        "schedule": SCHEDULE,
        **changes,
    }
    return Recordings(**fields)


def jittered(ratio, count=28, others=QUIET, wall_ratio=None):
    """`count` pairs whose log ratios lie 0.5 % around that of `ratio`, up and down in turns."""
    wall_ratio = ratio if wall_ratio is None else wall_ratio
    return [
        pair(ratio * jitter, wall_ratio * jitter, others=others)
        for jitter in (1.005 if number % 2 else 1 / 1.005 for number in range(count))
    ]


def without_load(recording):
    """The same, of a machine whose load could not be read at first."""
    return dataclasses.replace(recording, baseline=dataclasses.replace(recording.baseline, busy=None))


def date(number):
    """The date of the n-th night, from 0."""
    return f"{BEGIN + datetime.timedelta(days=number):%Y-%m-%dT%H:%M:%SZ}"


def line(estimate, number=0, **changes):
    """A fine test of the n-th night, commit c<n> against a1, with bounds 2 % away; estimate None: not judged."""
    judged = estimate is not None
    fields = {
        "date": date(number),
        "gate": f"gate{number}",
        "baseline": Side(("train",), "a1"),
        "candidate": Side(("train",), f"c{number}"),
        "machine": MACHINE,
        "method": "paced",
        "entry": "Train/a",
        "metric": "cpu",
        "outcome": "fine" if judged else "not judged",
        "estimate": estimate,
        "lower": estimate - 0.02 if judged else None,
        "upper": estimate + 0.02 if judged else None,
        "delta": 0.03,
        "others_share": 0.25,
        "reason": "" if judged else "busy",
    }
    return Line(**{**fields, **changes})


def nights(estimates, **changes):
    return [line(estimate, number, **changes) for number, estimate in enumerate(estimates)]


def program(*arguments):
    """The words of its command."""
    return (*PYTHON, PROGRAM, *arguments)


def running(groups):
    """Numbers of processes of the given process groups that run; zombies do not."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                state, _, group = file.read().rpartition(")")[2].split()[:3]
        except OSError:
            continue  # it ended meanwhile
        if int(group) in groups and state not in "ZX":
            found.append(int(name))
    return found


class FolderTest(unittest.TestCase):
    """Each test has a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        """The path of a file with this content, text or bytes."""
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()


class ProcessTest(FolderTest):
    """Each test leaves no process of the programs that write their numbers to its folder."""

    def setUp(self):
        super().setUp()
        self.addCleanup(self.check_nothing_is_left)

    def program(self, *arguments):
        """As `program`, of one that writes its number."""
        return program(f"--started={self.path('started')}", *arguments)

    def groups(self):
        """Numbers of the processes that were started, each the leader of its group."""
        return [int(number) for number in self.read("started").split()] if os.path.exists(self.path("started")) else []

    def check_nothing_is_left(self):
        groups = self.groups()
        left, limit = running(groups), time.monotonic() + SOON
        while left and time.monotonic() < limit:
            time.sleep(0.02)
            left = running(groups)
        for number in left:
            os.kill(number, signal.SIGKILL)
        self.assertEqual(left, [], "processes are left")


class Ran:
    """How the gate ended, as subprocess has it."""

    def __init__(self, arguments):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as error:
            self.returncode = gate.main(arguments)
        self.stdout, self.stderr = out.getvalue(), error.getvalue()


class LiveGateCase(ProcessTest):
    """Within this process: loading the statistics takes a second."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("tmp"))
        for patch in (
            mock.patch.dict(
                os.environ,
                BUILD_WORKING_DIRECTORY=self.folder,
                TMPDIR=self.path("tmp"),
                XDG_CACHE_HOME=self.path("cache"),
            ),
            mock.patch.object(tempfile, "tempdir", self.path("tmp")),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def words(self, *options, baseline=(), candidate=()):
        sides = [
            f"--{side}={shlex.join(self.program(*words))}"
            for side, words in (("baseline", baseline), ("candidate", candidate))
        ]
        return [*sides, "--arguments=", *options]

    def gate(self, *options, **sides):
        return self.run_gate(*self.words(*options, **sides))

    def run_gate(self, *arguments):
        ran = Ran(arguments)
        self.assertEqual(os.listdir(self.path("tmp")), [], "temporary files are left")
        return ran

    def recorded(self, name="r.json"):
        return recording_file.load(self.path(name))[0]
