"""One recording of two processes, in turns or whole, or of Google Benchmark: what is in it, and when there is none."""

from benchmarks.gate.gate_testing import ProcessTest
from benchmarks.gate.live import recorder
from benchmarks.gate.live.recorder import BenchmarkRecorder, FreshRecorder, PacedRecorder, Place
from benchmarks.gate.live.side import Deadlines, ResultError, SideCrashed, SideSilent, UnknownOption
from benchmarks.gate.process.budget import Budget, BudgetSpent
from benchmarks.gate.recording import SIDES, USUAL_SCHEDULES, GateError, Schedule
from tools import xml_unittest

# For one that misbehaves in the first turn of all: no right turn has to be as short on a busy machine.
SHORT = Deadlines(start=30, turn=0.3, end=30, grace=0.2)


class PacedRecordingTest(ProcessTest):
    def take(self, baseline=(), candidate=(), first="baseline", deadlines=Deadlines(grace=0.2), **options):
        place = Place(self.folder, {}, deadlines, **{name: options.pop(name) for name in ("stat",) if name in options})
        sides = {side: self.program(*words) for side, words in zip(SIDES, (baseline, candidate))}
        paced = PacedRecorder(sides, (), USUAL_SCHEDULES["paced"], place, options.pop("budget", Budget(60)))
        return paced.record(first, **{"report": lambda turns: None, **options})

    def refused(self, kind, words, *both, **options):
        for baseline, candidate in (((), both), (both, ())):
            with self.assertRaisesRegex(kind, words):
                self.take(baseline, candidate, **options)

    def test_has_every_step_of_both_sides(self):
        recording, compiler = self.take(candidate=("--slower=50", "--waits=10"), first="candidate")
        self.assertEqual((recording.first, compiler), ("candidate", "example 1.0"))
        self.assertEqual(recording.baseline.entries["Train/a"].cpu, (4.0,) * 60)
        self.assertEqual(recording.candidate.entries["Train/a"].cpu, (6.0,) * 60)
        for time in recording.candidate.entries["Train/a"].wall:
            self.assertAlmostEqual(time, 2.0 * 1.5 * 1.1, places=9)

    def test_own_time_is_that_of_the_turns_alone(self):
        recording, _ = self.take()
        self.assertAlmostEqual(recording.candidate.own, 60 * 0.004, places=6)
        self.assertGreater(recording.candidate.elapsed, 0)
        self.assertIsNotNone(recording.candidate.busy)

    def test_the_sides_take_turns_in_turns(self):
        order = []

        class Watched(recorder.PacedProcess):
            def take_turn(self):
                order.append(self.side)
                return super().take_turn()

        before, recorder.PacedProcess = recorder.PacedProcess, Watched
        self.addCleanup(setattr, recorder, "PacedProcess", before)
        self.take(("--steps=45",), ("--steps=45",), first="candidate")
        self.assertEqual(order, ["candidate", "baseline", "baseline", "candidate"] * 2)

    def test_without_proc_stat_the_load_is_unknown(self):
        recording, _ = self.take(stat="/no/such")
        self.assertIsNone(recording.baseline.busy)
        self.assertIsNone(recording.candidate.busy)

    def test_different_sides_are_refused_by_name(self):
        self.refused(GateError, r"entries: .*Train/b", "--entries=Train/b")
        self.refused(GateError, "seed of Train/a: ", "--seed=43")
        self.refused(GateError, "data.source: ", "--images=full")
        self.refused(
            GateError, r"turns: (baseline|candidate) 4, (baseline|candidate) 5 and more; wanted as many", "--steps=75"
        )
        self.refused(GateError, "options.steps: ", "--steps=59")

    def test_whole_turns_only(self):
        both = ("--steps=50",)
        with self.assertRaisesRegex(GateError, "50 steps in 4 turns; wanted epochs of whole turns of 15 steps"):
            self.take(both, both)

    def test_a_crash_on_either_side_is_that_sides(self):
        for side, words in (("baseline", (("--misbehave=exit",), ())), ("candidate", ((), ("--misbehave=exit",)))):
            with self.assertRaises(SideCrashed) as caught:
                self.take(*words)
            self.assertEqual(caught.exception.side, side)

    def test_a_side_that_hangs_ends_the_recording(self):
        hangs = ("--misbehave=hang_on", "--in_turn=1")
        for side, both in (("baseline", (hangs, ())), ("candidate", ((), hangs))):
            with self.assertRaisesRegex(SideSilent, rf"\[{side}\] gave no sign within 0.3 s in turn 1"):
                self.take(*both, first=side, deadlines=SHORT)

    def test_children_of_a_side_end_with_it(self):
        self.take(candidate=("--misbehave=stray",))

    def test_no_recording_without_whole_results(self):
        for kind, words in (
            ("none", "wrote no result"),
            ("incomplete", "incomplete"),
            ("no_json", "wrote no result"),
            ("empty", "wrote no result"),
            ("no_steps", "has no times"),
            ("twice", "an entry twice"),
            ("fewer", "steps of Train/a: "),
        ):
            self.refused(GateError, words, f"--result={kind}")

    def test_the_result_of_an_earlier_recording_is_not_taken(self):
        self.take()
        self.refused(ResultError, "there is none", "--result=none")

    def test_the_budget_ends_it_within_a_turn(self):
        with self.assertRaises(BudgetSpent):
            self.take(candidate=("--misbehave=hang",), budget=Budget(1))

    def test_tells_how_far_it_is(self):
        turns = []
        self.take(report=turns.append)
        self.assertEqual(turns, [1, 2, 3, 4])


class WholeProcessesTest(ProcessTest):
    def recorder(self, baseline=(), candidate=(), budget=None, deadlines=Deadlines(grace=0.2), **place):
        sides = {"baseline": self.program(*baseline), "candidate": self.program(*candidate)}
        return FreshRecorder(
            sides, (), USUAL_SCHEDULES["fresh"], Place(self.folder, {}, deadlines, **place), budget or Budget(60)
        )

    def take(self, *arguments, first="baseline", **options):
        return self.recorder(*arguments, **options).record(first, None)[0]

    def test_steps_count_where_both_sides_tell_them(self):
        recorder = self.recorder(("--unpaced",), ("--unpaced", "--slower=50"))
        recording, compiler = recorder.record("candidate", None)
        self.assertEqual((recording.first, compiler), ("candidate", "example 1.0"))
        self.assertEqual(recording.baseline.entries["Train/a"].cpu, (4.0,) * 60)
        self.assertEqual(recording.candidate.entries["Train/a"].cpu, (6.0,) * 60)
        self.assertEqual(recorder.schedule, Schedule(turn=60, warmup=0, behind_switch=20, looks=(8, 16, 24, 32)))

    def test_else_the_process_is_one_step(self):
        for age in ("--old", "--unpaced"):
            recorder = self.recorder(("--old",), (age, "--whole_work_ms=300"))
            recording, _ = recorder.record("baseline", None)
            self.assertEqual(list(recording.candidate.entries), ["process"])
            [cpu] = recording.candidate.entries["process"].cpu
            [wall] = recording.candidate.entries["process"].wall
            self.assertGreaterEqual(cpu, 300)
            self.assertLess(recording.baseline.entries["process"].cpu[0], cpu)
            self.assertAlmostEqual(wall, 1000 * recording.candidate.elapsed)
            self.assertAlmostEqual(cpu, 1000 * recording.candidate.own)
            self.assertEqual(recorder.schedule, Schedule(turn=1, warmup=0, behind_switch=0, looks=(8, 16, 24, 32)))

    def test_an_option_that_is_unknown_is_tried_once(self):
        recorder = self.recorder(("--old",), ("--old",))
        recorder.record("baseline", None)
        self.assertEqual(len(self.groups()), 2)  # --step_times ended the first one before it wrote its number
        recorder.record("candidate", None)
        self.assertEqual(len(self.groups()), 4)

    def test_who_begins_runs_first(self):
        for side in SIDES:
            with self.assertRaises(ResultError) as caught:
                self.take(("--result=none",), ("--result=none",), first=side)
            self.assertEqual(caught.exception.side, side)

    def test_a_run_that_fails_is_that_sides(self):
        with self.assertRaisesRegex(UnknownOption, r"^\[candidate\] ended with exit status 2: "):
            self.take(candidate=("--no_such_option",))
        with self.assertRaisesRegex(ResultError, "incomplete"):
            self.take(("--result=incomplete",))
        with self.assertRaisesRegex(GateError, r"seed of Train/a: baseline 42, candidate 43"):
            self.take(("--old",), ("--old", "--seed=43"))
        with self.assertRaisesRegex(SideSilent, "did not end within 0.3 s"):
            self.take(("--whole_work_ms=20000",), deadlines=Deadlines(whole=0.3, grace=0.2))
        with self.assertRaises(BudgetSpent):
            self.take(("--whole_work_ms=20000",), budget=Budget(0.5))

    def test_without_proc_stat_the_load_is_unknown(self):
        self.assertIsNone(self.take(stat="/no/such").baseline.busy)
        self.assertIsNotNone(self.take().baseline.busy)


class BenchmarksTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.warnings = []

    def recorder(self, baseline=(), candidate=(), entry="Sort", cpu_field="cpu_time"):
        sides = {side: self.program(*words) for side, words in zip(SIDES, (baseline, candidate))}
        return BenchmarkRecorder(
            sides,
            (),
            USUAL_SCHEDULES["benchmark"],
            Place(self.folder, {}),
            Budget(60),
            entry,
            cpu_field,
            self.warnings.append,
        )

    def take(self, *arguments, **options):
        return self.recorder(*arguments, **options).record("baseline", None)[0]

    def refused(self, words, *arguments, kind=ResultError, **options):
        with self.assertRaisesRegex(kind, words):
            self.take(*arguments, **options)

    def test_a_repetition_is_a_step(self):
        recording = self.take((), ("--slower=100",))
        self.assertEqual(list(recording.baseline.entries), ["Sort/1000", "Sort/2000"])
        cpu, wall = recording.candidate.entries["Sort/1000"].cpu, recording.candidate.entries["Sort/1000"].wall
        for times, wanted in ((cpu, 0.01), (wall, 0.02)):
            for time, factor in zip(times, (10, 2, 2, 2, 2), strict=True):
                self.assertAlmostEqual(time, wanted * factor, places=12)

    def test_times_are_milliseconds_whatever_the_unit(self):
        for unit, factor in (("ns", 1e-6), ("us", 1e-3), ("ms", 1), ("s", 1000)):
            recording = self.take((f"--unit={unit}",), entry="Copy")
            self.assertAlmostEqual(recording.baseline.entries["Copy"].cpu[1], 10.0 * factor, places=12)

    def test_a_counter_may_be_the_cpu_time(self):
        self.assertEqual(self.take(cpu_field="own_us").baseline.entries["Sort/1000"].cpu, (15.0, 3.0, 3.0, 3.0, 3.0))
        for field in ("no_such", "run_name"):
            self.refused(f"has no real_time, time_unit and {field} of its benchmarks", cpu_field=field)

    def test_what_cannot_be_compared_is_refused(self):
        self.refused("ran no benchmark", entry="Nothing")
        self.refused(r"says that Sort/2000 failed \(wrong sums\)", (), ("--error=wrong sums",))
        self.refused(
            r"repetitions: baseline .*Sort/2000.*, candidate \{.Sort/1000.: 5\}",
            (),
            ("--names=Sort/1000",),
            kind=GateError,
        )
        self.refused(r"ended with exit status 2", ("--no_such_option",), kind=UnknownOption)
        self.refused(r"exit status 1", entry="[", kind=SideCrashed)

    def test_cpu_time_that_says_little_is_reported_once(self):
        recorder = self.recorder(("--cpu=0.1",), ("--cpu=0.1",))
        for _ in range(2):
            recorder.record("baseline", None)
        self.assertEqual(len(self.warnings), 1)
        self.assertIn("the CPU time of Sort/1000, Sort/2000 is under a tenth of the real time", self.warnings[0])
        self.take(("--cpu=0.1",), ("--cpu=0.1",), cpu_field="own_us")
        self.take()
        self.assertEqual(len(self.warnings), 1)


if __name__ == "__main__":
    xml_unittest.main()
