"""The verdicts, the pitfalls of a noisy machine, and what the gate calls on recordings of a real program."""

import dataclasses
import math
import os
import random
import unittest

from benchmarks.gate import ratios, recording, recording_file, resample, verdict
from benchmarks.gate.gate_testing import LOADED, jittered, pair, recordings, without_load
from benchmarks.gate.recording import GateError, Recording, Schedule, Steps
from benchmarks.gate.verdict import Outcome, judge
from tools import xml_unittest

GATES = 300
# Its README.md says of what.
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "testdata")


def outcomes(judged):
    return {test.metric: test.outcome for test in judged.tests}


class VerdictTest(unittest.TestCase):
    def test_a_slowdown_of_twice_delta_is_called_and_none_is_fine(self):
        for others in (0.0, LOADED):
            self.assertEqual(judge(recordings(jittered(1.06, others=others))).exit_status, 1)
            self.assertEqual(judge(recordings(jittered(1.0, others=others))).exit_status, 0)

    def test_an_improvement_is_fine(self):
        judged = judge(recordings(jittered(1 / 1.2)))
        self.assertEqual(judged.exit_status, 0)
        self.assertAlmostEqual(judged.tests[0].interval.estimate, -math.log(1.2), places=12)

    def test_rule_by_hand(self):
        delta, low, high = 0.03, math.log1p(0.03), math.log1p(0.06)
        for estimate, lower, upper, wanted in (
            (low, 1e-9, 1.0, Outcome.REGRESSION),
            (low, 0.0, 1.0, Outcome.UNDECIDED),
            (low - 1e-9, 0.001, 1.0, Outcome.UNDECIDED),
            (low - 1e-9, 0.001, high - 1e-9, Outcome.FINE),
            (0.0, -1.0, high, Outcome.UNDECIDED),
        ):
            with self.subTest(estimate=estimate, lower=lower, upper=upper):
                self.assertEqual(verdict._outcome(ratios.Interval(estimate, lower, upper), delta), wanted)

    def test_equal_recordings_decide_at_the_first_look(self):
        self.assertEqual(judge(recordings([pair(1.05)] * 4)).outcome, Outcome.REGRESSION)
        self.assertEqual(judge(recordings([pair(1.0)] * 12)).looked_at, 4)

    def test_levels_are_divided_among_the_tests(self):
        names = ("Train/a", "Train/b")
        pairs = [pair(ratio, names=names) for ratio in (1.04, 1.03, 1.06, 1.05)]
        judged = judge(recordings(pairs))
        values = [math.log(ratio) for ratio in (1.04, 1.03, 1.06, 1.05)]
        alpha = ratios.pocock_levels((4, 6, 9, 13, 19, 28), 0.005 / 4)[0]
        beta = ratios.pocock_levels((4, 6, 9, 13, 19, 28), 0.05)[0]
        wanted = ratios.student_interval(values, alpha, beta)
        self.assertEqual(
            [(t.entry, t.metric) for t in judged.tests],
            [(name, metric) for name in names for metric in ("cpu", "wall")],
        )
        for test in judged.tests:
            self.assertAlmostEqual(test.interval.lower, wanted.lower, places=12)
            self.assertAlmostEqual(test.interval.upper, wanted.upper, places=12)

    def test_one_slow_entry_of_two_is_a_regression(self):
        slow, same = pair(1.1).candidate.entries["Train/a"], pair(1.0).candidate.entries["Train/a"]
        base = pair(1.0, names=("Train/a", "Train/b"))
        pairs = [
            dataclasses.replace(
                base, candidate=dataclasses.replace(base.candidate, entries={"Train/a": same, "Train/b": slow})
            )
        ] * 4
        judged = judge(recordings(pairs))
        self.assertEqual(judged.exit_status, 1)
        self.assertEqual([test.outcome for test in judged.tests], [Outcome.FINE] * 2 + [Outcome.REGRESSION] * 2)

    def test_without_enough_recordings_nothing_is_judged(self):
        for count in (0, 1, 3):
            judged = judge(recordings([pair(2.0)] * count))
            self.assertEqual((judged.exit_status, judged.looked_at, judged.settled), (3, 0, False))
        self.assertIn("3 recordings, the first look is at 4", judged.tests[0].reason)

    def test_more_recordings_than_the_last_look_are_refused(self):
        with self.assertRaisesRegex(GateError, "29 recordings; wanted at most 28"):
            judge(recordings([pair()] * 29))

    def test_what_comes_after_a_decision_changes_nothing(self):
        first = judge(recordings(jittered(1.06, 6)))
        self.assertTrue(first.settled)
        self.assertEqual(judge(recordings(jittered(1.06, 6) + [pair(0.5)] * 6)), first)

    def test_a_verdict_that_is_not_settled_asks_for_more(self):
        wild = [pair(ratio) for ratio in (1.5, 0.8, 1.2, 0.7)]
        self.assertFalse(judge(recordings(wild)).settled)
        self.assertEqual(judge(recordings(wild)).exit_status, 3)
        self.assertTrue(judge(recordings(wild * 7)).settled)


class TimeIsOverTest(unittest.TestCase):
    def test_what_there_is_is_looked_at_for_the_last_time(self):
        pairs = [pair(1.06 * (1 + 0.04 * (-1) ** turn)) for turn in range(11)]
        before = judge(recordings(pairs, stopped="interrupted"))
        self.assertEqual((before.outcome, before.looked_at, before.settled), (Outcome.UNDECIDED, 9, False))
        last = judge(recordings(pairs, stopped="budget"))
        self.assertEqual((last.outcome, last.looked_at, last.settled), (Outcome.REGRESSION, 11, True))
        # t with 10 degrees of freedom, at what is left of the level of one of two tests.
        values = [math.log(1.06 * (1 + 0.04 * (-1) ** turn)) for turn in range(11)]
        alpha = ratios.pocock_levels((4, 6, 9, 11), 0.005 / 2, 28)[3]
        self.assertAlmostEqual(last.tests[0].interval.lower, ratios.student_interval(values, alpha, 0.05).lower)

    def test_before_the_first_look_nothing_is_judged(self):
        judged = judge(recordings([pair(2.0)] * 3, stopped="budget"))
        self.assertEqual((judged.outcome, judged.looked_at, judged.settled), (Outcome.UNDECIDED, 0, False))

    def test_what_an_earlier_look_decided_stays(self):
        first = judge(recordings(jittered(1.06, 6)))
        self.assertEqual(judge(recordings(jittered(1.06, 6) + [pair(0.5)] * 6, stopped="budget")), first)


class StoredBaselineTest(unittest.TestCase):
    def test_never_more_than_a_suspicion_and_never_fine(self):
        for ratio, reason in ((1.5, verdict.SUSPECT), (1.0, verdict.UNPROVEN), (0.5, verdict.UNPROVEN)):
            judged = judge(recordings(jittered(ratio, 4), method="stored"))
            self.assertEqual((judged.outcome, judged.exit_status), (Outcome.UNDECIDED, 3))
            self.assertEqual([(test.outcome, test.reason) for test in judged.tests], [(Outcome.UNDECIDED, reason)] * 2)

    def test_what_cannot_be_judged_stays_so(self):
        judged = judge(recordings(jittered(1.5, 4, others=LOADED), method="stored"))
        self.assertEqual(outcomes(judged)["wall"], Outcome.NOT_JUDGED)


class SwingingSpeedTest(unittest.TestCase):
    def assert_no_alarm(self, pairs):
        self.assertNotEqual(judge(recordings(pairs)).outcome, Outcome.REGRESSION)

    def test_speed_of_both_halved_within_the_gate(self):
        pairs = [pair(speed=1.0 if number < 5 else 2.0) for number in range(12)]
        self.assertEqual(judge(recordings(pairs)).exit_status, 0)

    def test_speed_halved_at_a_pairs_border(self):
        self.assert_no_alarm(jittered(1.0, 5) + [pair(2.0)] + jittered(1.0, 6))
        self.assert_no_alarm([pair(2.0)] + jittered(1.0, 11))

    def test_every_second_process_slow(self):
        # Who goes first is drawn, so the slow turn of a period of two falls on either side.
        self.assert_no_alarm([pair(2.0), pair(0.5), pair(0.5), pair(2.0)] * 3)


class WallTimeTest(unittest.TestCase):
    def test_a_wait_is_called_on_a_quiet_machine(self):
        judged = judge(recordings(jittered(1.0, wall_ratio=1.10)))
        self.assertEqual(outcomes(judged), {"cpu": Outcome.FINE, "wall": Outcome.REGRESSION})
        self.assertEqual(judged.exit_status, 1)

    def test_a_wait_is_not_judged_on_a_loaded_one_and_never_fine(self):
        judged = judge(recordings(jittered(1.0, others=LOADED, wall_ratio=1.10)))
        self.assertEqual(outcomes(judged), {"cpu": Outcome.FINE, "wall": Outcome.NOT_JUDGED})
        self.assertIn("quiet in 0 of 4 recordings", judged.tests[1].reason)
        self.assertEqual(judged.exit_status, 0)

    def test_required_wall_time_that_cannot_be_judged_is_undecided(self):
        judged = judge(recordings(jittered(1.0, others=LOADED), required=("cpu", "wall")))
        self.assertEqual((judged.outcome, judged.exit_status), (Outcome.UNDECIDED, 3))

    def test_lost_parallelism_under_load_does_not_pass_by_wall_time(self):
        # One core is taken, so the second thread gained nothing: CPU and wall time are the baseline's.
        judged = judge(recordings(jittered(1.0, others=LOADED)))
        self.assertEqual(outcomes(judged)["wall"], Outcome.NOT_JUDGED)

    def test_three_quiet_recordings_are_too_few(self):
        mixed = jittered(1.0, 3, wall_ratio=1.5) + jittered(1.0, 9, others=LOADED, wall_ratio=1.5)
        self.assertEqual(outcomes(judge(recordings(mixed)))["wall"], Outcome.NOT_JUDGED)

    def test_waits_for_quiet_recordings_while_most_are(self):
        mixed = jittered(1.0, 2, others=LOADED) + jittered(1.0, 10, wall_ratio=1.2)
        judged = judge(recordings(mixed))
        self.assertEqual((judged.looked_at, judged.outcome), (6, Outcome.REGRESSION))

    def test_a_load_that_comes_with_the_candidate_is_a_reason_not_a_pass(self):
        pairs = [
            dataclasses.replace(each, candidate=dataclasses.replace(each.candidate, busy=1.5))
            for each in jittered(1.0, wall_ratio=1.3)
        ]
        self.assertEqual(outcomes(judge(recordings(pairs)))["wall"], Outcome.NOT_JUDGED)

    def test_without_proc_stat_wall_time_is_not_judged(self):
        judged = judge(recordings([without_load(each) for each in jittered(1.0, wall_ratio=1.3)]))
        self.assertEqual(outcomes(judged)["wall"], Outcome.NOT_JUDGED)
        self.assertIn("unknown", judged.tests[1].reason)


def load(name):
    return recording.check(recording_file.load(os.path.join(FOLDER, f"recordings_{name}.json"))[0])


def shares(taken, slowdowns, seed=1, budget=math.inf):
    results, _, _ = resample.run(
        resample.pairs_of(taken),
        dict.fromkeys(taken.tests(), 0.03),
        Schedule().looks,
        slowdowns,
        GATES,
        random.Random(seed),
        budget=budget,
    )
    return {result: count / GATES for result, count in results.items()}


class ResamplingTest(unittest.TestCase):
    def setUp(self):
        self.busy, self.mixed = load("busy"), load("mixed")

    def test_the_same_program_raises_no_alarm(self):
        for taken in (self.busy, self.mixed):
            found = shares(taken, {})
            self.assertLessEqual(found.get("regression", 0), 0.005)
            self.assertLessEqual(found.get("undecided", 0), 0.01)

    def test_slowdowns_of_twice_delta_are_found_at_either_entry(self):
        for taken in (self.busy, self.mixed):
            for entry in taken.entry_names():
                found = shares(taken, {(entry, "cpu"): 0.06, (entry, "wall"): 0.06})
                self.assertGreaterEqual(found["regression"], 0.95)
                self.assertLessEqual(found.get("undecided", 0), 0.01)

    def test_where_time_is_short_the_last_look_is_at_what_there_is(self):
        # Seven or eight recordings of the busy machine fit, and the planned looks are at 6 and 9.
        everything = dict.fromkeys(self.busy.tests(), 0.06)
        found = shares(self.busy, everything, budget=40)
        self.assertGreaterEqual(found["regression"], 0.95)
        self.assertEqual(shares(self.busy, {}, budget=40).get("regression", 0), 0)

    def test_speedups_raise_no_alarm(self):
        found = shares(self.busy, dict.fromkeys(self.busy.tests(), -0.10))
        self.assertEqual(found.get("regression", 0), 0)

    def test_waits_on_a_busy_machine_are_not_judged(self):
        waits = {(entry, "wall"): 0.15 for entry in self.busy.entry_names()}
        self.assertEqual(shares(self.busy, waits), {"fine, wall not judged": 1.0})

    def test_the_same_seed_draws_the_same_gates(self):
        slow = dict.fromkeys(self.busy.tests(), 0.03)
        self.assertEqual(shares(self.busy, slow), shares(self.busy, slow))
        self.assertNotEqual(shares(self.busy, slow), shares(self.busy, slow, seed=2))

    def test_scaled_steps_are_what_the_draws_add(self):
        first = self.busy.recordings[0]
        slower = {
            name: Steps(tuple(1.06 * each for each in steps.cpu), steps.wall)
            for name, steps in first.candidate.entries.items()
        }
        half = first.candidate
        scaled = Recording(first.first, first.baseline, type(half)(slower, half.elapsed, half.own, half.busy))
        plain, changed = (ratios.of(each, self.busy.schedule, 2).values for each in (first, scaled))
        for (entry, metric), value in plain.items():
            added = 0.0582689081239758 if metric == "cpu" else 0.0  # the log of 1.06
            self.assertAlmostEqual(changed[entry, metric] - value, added, places=12)

    def test_the_recordings_themselves_are_fine(self):
        for taken in (self.busy, self.mixed):
            self.assertEqual(verdict.judge(taken).outcome, Outcome.FINE)


if __name__ == "__main__":
    xml_unittest.main()
