"""A gate's recordings one after the other, of a recorder that makes them up: when it stops, what it leaves, and which
files of an earlier gate are gone on with, replaced or refused."""

import argparse
import dataclasses
import io
import unittest

from benchmarks.gate import recording_file, verdict
from benchmarks.gate.gate_testing import MACHINE, SCHEDULE, FolderTest, jittered, pair, recordings
from benchmarks.gate.live import gate_run
from benchmarks.gate.live.gate_run import GateRun, first_sides, time_left
from benchmarks.gate.process.budget import Budget, BudgetSpent, Interrupted, Progress
from benchmarks.gate.recording import SIDES, Calibration, GateError, Recording, Schedule, Side
from benchmarks.gate.verdict import Outcome
from tools import xml_unittest

# Too far apart to decide anything at the first look.
WILD = [pair(ratio) for ratio in (1.5, 0.8, 1.2, 0.7)]
NOTHING = recordings([], seed=9)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Recorder:
    """Gives away recordings, each `seconds` long; an exception among them is raised."""

    method, arguments, schedule = "paced", (), SCHEDULE

    def __init__(self, pairs, clock=None, seconds=6.0):
        self.pairs, self.clock, self.seconds, self.firsts = list(pairs), clock or Clock(), seconds, []

    def record(self, first, report):
        self.firsts.append(first)
        self.clock.now += self.seconds / 2
        report(2)
        self.clock.now += self.seconds / 2
        found = self.pairs.pop(0)
        if isinstance(found, BaseException):
            raise found
        return Recording(first, found.baseline, found.candidate), "example 1.0"


class Terminal(io.StringIO):
    def isatty(self):
        return True


class GateRunTest(unittest.TestCase):
    def setUp(self):
        self.clock, self.screen = Clock(), io.StringIO()

    def gate(self, taken=None, budget=1000.0):
        progress = Progress(self.screen, self.clock)
        return GateRun(taken or recordings([], seed=5), lambda _: None, Budget(budget, clock=self.clock), progress)

    def recorder(self, pairs, **options):
        return Recorder(pairs, self.clock, **options)

    def test_stops_when_it_is_settled(self):
        for ratio, outcome in ((1.10, Outcome.REGRESSION), (1.0, Outcome.FINE)):
            gate = self.gate()
            judged = gate.run(self.recorder(jittered(ratio)))
            self.assertEqual((judged.outcome, judged.settled), (outcome, True))
            self.assertEqual((len(gate.taken.recordings), gate.taken.stopped), (4, ""))
            self.assertEqual(verdict.judge(gate.taken), judged)

    def test_goes_on_until_the_last_look(self):
        gate = self.gate()
        judged = gate.run(self.recorder([pair(ratio) for ratio in (1.5, 0.8, 1.2, 0.7)] * 7))
        self.assertEqual((judged.outcome, judged.looked_at), (Outcome.UNDECIDED, 28))
        self.assertEqual((len(gate.taken.recordings), gate.taken.stopped), (28, ""))

    def test_chance_draws_who_is_first_and_the_recordings_say_who_was(self):
        gate, recorder = self.gate(), self.recorder(jittered(1.0))
        gate.run(recorder)
        wanted = first_sides(5)
        self.assertEqual(recorder.firsts, [next(wanted) for _ in range(4)])
        self.assertEqual([each.first for each in gate.taken.recordings], recorder.firsts)

    def test_starts_no_recording_that_the_budget_does_not_hold(self):
        # Each takes 6 s: at 18 s there are 4.9 left.
        gate = self.gate(budget=22.9)
        judged = gate.run(self.recorder(jittered(1.10)))
        self.assertEqual((len(gate.taken.recordings), gate.taken.stopped), (3, "budget"))
        self.assertEqual((judged.outcome, judged.exit_status), (Outcome.UNDECIDED, 3))
        self.assertEqual(self.clock.now, 18.0)
        self.assertEqual(self.gate(budget=24.1).run(self.recorder(jittered(1.10))).outcome, Outcome.REGRESSION)

    def test_a_recording_that_the_budget_ends_does_not_count(self):
        gate = self.gate()
        gate.run(self.recorder([*jittered(1.0, 2), BudgetSpent()]))
        self.assertEqual((len(gate.taken.recordings), gate.taken.stopped), (2, "budget"))

    def test_without_any_recording_it_is_undecided(self):
        gate = self.gate()
        self.assertEqual(gate.run(self.recorder([BudgetSpent()])).exit_status, 3)
        self.assertEqual(gate.taken.recordings, ())

    def test_what_ends_it_leaves_the_recordings_so_far(self):
        for error, why in ((Interrupted(2), "interrupted"), (GateError("[candidate] died"), "failed")):
            gate = self.gate()
            with self.assertRaises(type(error)):
                gate.run(self.recorder([*jittered(1.0, 3), error]))
            self.assertEqual((len(gate.taken.recordings), gate.taken.stopped), (3, why))

    def test_a_recording_that_cannot_be_judged_ends_it_at_once(self):
        gate = self.gate()
        with self.assertRaisesRegex(GateError, "recording 1, candidate, Train/a, cpu, step 0: 0.0 ms"):
            gate.run(self.recorder([pair(), pair(0.0)]))

    def test_goes_on_with_what_is_there(self):
        pairs = [pair(ratio) for ratio in (1.5, 0.8, 1.2, 0.7)] * 7
        whole = self.gate()
        whole.run(self.recorder(pairs))
        half = self.gate(budget=13)
        half.run(self.recorder(pairs))
        self.assertEqual(len(half.taken.recordings), 2)
        rest = self.gate(half.taken)
        rest.run(self.recorder(pairs[2:]))
        self.assertEqual(rest.taken, whole.taken)

    def test_the_compiler_belongs_to_the_machine(self):
        gate = self.gate()
        gate.run(self.recorder(jittered(1.0)))
        self.assertEqual(gate.taken.machine["compiler"], "example 1.0")


class ProgressTest(unittest.TestCase):
    def run_gate(self, screen):
        clock = Clock()
        progress = Progress(screen, clock)
        GateRun(recordings([]), lambda _: None, Budget(60, clock=clock), progress).run(Recorder(jittered(1.0), clock))
        return screen.getvalue()

    def test_tells_what_is_left_on_a_terminal(self):
        shown = self.run_gate(Terminal()).split("\r\x1b[K")
        self.assertEqual(
            shown[1:],
            [
                "recording 1 of at most 28, at most 60 s left",
                "recording 1 of at most 28, 2 turns, at most 57 s left",
                "recording 2 of at most 28, at most 54 s left",
                "recording 2 of at most 28, 2 turns, at most 51 s left",
                "recording 3 of at most 28, at most 48 s left",
                "recording 3 of at most 28, 2 turns, at most 45 s left",
                "recording 4 of at most 28, at most 42 s left",
                "recording 4 of at most 28, 2 turns, at most 39 s left",
                "",
            ],
        )

    def test_is_quiet_elsewhere(self):
        self.assertEqual(self.run_gate(io.StringIO()), "")

    def test_what_is_left_is_known_from_what_was(self):
        self.assertEqual(time_left(0, 12, 0, 180), "at most 180 s left")
        self.assertEqual(time_left(4, 12, 10, 180), "at most 20 s left")
        self.assertEqual(time_left(4, 12, 170, 180), "at most 10 s left")

    def test_lines_follow_each_other_slowly(self):
        clock, screen = Clock(), Terminal()
        progress = Progress(screen, clock)
        for number in range(100):
            clock.now = 0.01 * number
            progress.show(str(number))
        self.assertEqual(screen.getvalue().count("\r"), 5)

    def test_what_is_said_stays(self):
        screen = Terminal()
        progress = Progress(screen, Clock())
        progress.show("busy")
        progress.say("that is so")
        self.assertEqual(screen.getvalue(), "\r\x1b[Kbusy\r\x1b[Kthat is so\n")


class FirstSidesTest(unittest.TestCase):
    def sides(self, seed, count=200):
        sides = first_sides(seed)
        return [next(sides) for _ in range(count)]

    def test_of_two_in_a_row_each_begins_one(self):
        sides = self.sides(5)
        for both in zip(sides[::2], sides[1::2]):
            self.assertEqual(set(both), set(SIDES))

    def test_chance_says_which_and_the_seed_says_what_chance_says(self):
        begins = self.sides(5)[::2].count("baseline")
        self.assertTrue(30 <= begins <= 70, begins)  # 4 standard deviations of 100 coins
        self.assertEqual(self.sides(5), self.sides(5))
        self.assertNotEqual(self.sides(5), self.sides(6))


def options(**given):
    names = ("seed", "delta", "metrics", "require", "entry", "cpu_field", "looks", "turn", "warmup", "arguments")
    return argparse.Namespace(**{**dict.fromkeys(names), **given})


class EarlierGateTest(FolderTest):
    def record(self, taken, calibration=None):
        self.write("r.json", recording_file.to_text(taken, calibration))

    def refused(self, words, work):
        with self.assertRaisesRegex(GateError, words):
            work()

    def go_on(self, taken=NOTHING, **given):
        return gate_run.go_on(self.path("r.json"), options(**given), taken)

    def test_a_gate_that_is_not_settled_goes_on_as_it_began(self):
        calibration = Calibration(MACHINE, {("Train/a", "cpu"): 0.005})
        for taken in (recordings(jittered(1.0, 3), seed=5, delta=0.05), recordings(WILD, stopped="budget")):
            self.record(taken, calibration)
            self.assertEqual(self.go_on(), (taken, calibration))

    def test_a_settled_gate_does_not_go_on(self):
        for pairs, words in (
            (jittered(1.10, 4), "the gate ended regression at 4 recordings; more would not be"),
            (jittered(1.0, 4), "ended fine at 4 recordings; more"),
            (WILD * 7, "ended undecided at 28 recordings, which uses up its looks; more"),
        ):
            self.record(recordings(pairs))
            self.refused(words, self.go_on)

    def test_what_a_last_look_decided_does_not_go_on(self):
        slower = [pair(1.06 * (1 + 0.04 * (-1) ** turn)) for turn in range(11)]
        self.record(recordings(slower, stopped="budget"))
        self.refused("ended regression at 11 recordings; more", self.go_on)

    def test_only_the_same_gate_goes_on(self):
        self.record(recordings(WILD))
        for taken, words in (
            (recordings([], candidate=Side(("train", "--fast"), "b2")), r"candidate, command: recorded \('train'"),
            (recordings([], baseline=Side(("train",), "c3")), "baseline, commit: recorded 'a1', now 'c3'"),
            (recordings([], candidate=Side(("train",), "b2", "ff")), "candidate, program: recorded '', now 'ff'"),
            (recordings([], machine={**MACHINE, "cores": 64}), "machine, cores: recorded 2, now 64"),
        ):
            self.refused(r"^\[again\] .*" + words, lambda taken=taken: self.go_on(taken))

    def test_a_continued_gate_needs_the_same_options(self):
        taken = recordings(WILD, seed=5, arguments=("--a", "b c"), delta=0.05, metrics=("cpu",))
        self.record(taken)
        same = {
            "seed": 5,
            "arguments": "--a 'b c'",
            "delta": 0.05,
            "metrics": ("cpu",),
            "require": ("cpu",),
            "turn": 15,
            "warmup": 20,
            "looks": (4, 6, 9, 13, 19, 28),
        }
        self.assertEqual(self.go_on(**same)[0], taken)
        for name, value in (
            ("seed", 6),
            ("arguments", "--a"),
            ("delta", 0.03),
            ("metrics", ("cpu", "wall")),
            ("require", ("wall",)),
            ("turn", 5),
            ("warmup", 0),
            ("looks", (4, 8)),
            ("entry", "x"),
        ):
            self.refused(
                f"--{name}: recorded .*, now .*; wanted the same",
                lambda name=name, value=value: self.go_on(**{name: value}),
            )

    def test_what_whole_processes_made_of_the_schedule_is_no_other_option(self):
        whole = Schedule(turn=60, warmup=0, behind_switch=20, looks=(8, 16))
        self.record(recordings(jittered(1.0, 3), method="fresh", schedule=whole))
        self.assertEqual(len(self.go_on(turn=15, warmup=20)[0].recordings), 3)

    def test_the_compiler_is_known_only_from_recordings(self):
        self.record(recordings(WILD, machine={**MACHINE, "compiler": "example 1.0"}))
        self.assertEqual(self.go_on()[0].machine["compiler"], "example 1.0")

    def test_there_is_something_to_go_on_with(self):
        self.refused(r"\[again\] there are no recordings in .*r.json", self.go_on)

    def check(self, taken=NOTHING):
        gate_run.check_replaceable(self.path("r.json"), taken)

    def test_recordings_of_the_same_programs_are_not_replaced(self):
        for pairs in (WILD, jittered(1.10, 4), jittered(1.0, 1)):
            self.record(recordings(pairs, seed=1))
            self.refused(rf"holds {len(pairs)} recordings of these two programs.*wanted --again", self.check)

    def test_recordings_of_others_are(self):
        self.record(recordings(WILD))
        for change in ({"candidate": Side(("train",), "b2", "ff")}, {"machine": {**MACHINE, "kernel": "new"}}):
            self.check(dataclasses.replace(NOTHING, **change))
        self.record(NOTHING)
        self.check()

    def test_what_is_no_recording_is_not_replaced(self):
        self.check()  # there is no file
        for text, fine in (("", True), ("my thesis", False), ("{}", False)):
            self.write("r.json", text)
            if fine:
                self.check()
            else:
                self.refused("holds something else than recordings", self.check)
        gate_run.check_replaceable("/dev/null", NOTHING)


if __name__ == "__main__":
    xml_unittest.main()
