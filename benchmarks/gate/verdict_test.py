"""The verdicts, and the pitfalls of a noisy machine."""
import dataclasses
import math
import unittest

from benchmarks.gate import calibration as calibrations
from benchmarks.gate import looks, verdict
from benchmarks.gate.calibration import Calibration
from benchmarks.gate.recording import GateError, Side
from benchmarks.gate.recording_testing import LOADED, MACHINE, jittered, pair, recordings
from benchmarks.gate.verdict import Outcome, judge
from tools import xml_unittest


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
                (0.0, -1.0, high, Outcome.UNDECIDED)):
            with self.subTest(estimate=estimate, lower=lower, upper=upper):
                self.assertEqual(verdict._outcome(looks.Interval(estimate, lower, upper), delta), wanted)

    def test_equal_recordings_decide_at_the_first_look(self):
        self.assertEqual(judge(recordings([pair(1.05)] * 4)).outcome, Outcome.REGRESSION)
        self.assertEqual(judge(recordings([pair(1.0)] * 12)).looked_at, 4)

    def test_levels_are_divided_among_the_tests(self):
        names = ('Train/a', 'Train/b')
        pairs = [pair(ratio, names=names) for ratio in (1.04, 1.03, 1.06, 1.05)]
        judged = judge(recordings(pairs))
        values = [math.log(ratio) for ratio in (1.04, 1.03, 1.06, 1.05)]
        alpha = looks.pocock_levels((4, 6, 9, 13, 19, 28), 0.005 / 4)[0]
        beta = looks.pocock_levels((4, 6, 9, 13, 19, 28), 0.05)[0]
        wanted = looks.student_interval(values, alpha, beta)
        self.assertEqual([(t.entry, t.metric) for t in judged.tests],
                         [(name, metric) for name in names for metric in ('cpu', 'wall')])
        for test in judged.tests:
            self.assertAlmostEqual(test.interval.lower, wanted.lower, places=12)
            self.assertAlmostEqual(test.interval.upper, wanted.upper, places=12)

    def test_one_slow_entry_of_two_is_a_regression(self):
        slow, same = pair(1.1).candidate.entries['Train/a'], pair(1.0).candidate.entries['Train/a']
        base = pair(1.0, names=('Train/a', 'Train/b'))
        pairs = [dataclasses.replace(base, candidate=dataclasses.replace(
            base.candidate, entries={'Train/a': same, 'Train/b': slow}))] * 4
        judged = judge(recordings(pairs))
        self.assertEqual(judged.exit_status, 1)
        self.assertEqual([test.outcome for test in judged.tests], [Outcome.FINE] * 2 + [Outcome.REGRESSION] * 2)

    def test_without_enough_recordings_nothing_is_judged(self):
        for count in (0, 1, 3):
            judged = judge(recordings([pair(2.0)] * count))
            self.assertEqual((judged.exit_status, judged.looked_at, judged.settled), (3, 0, False))
        self.assertIn('3 recordings, the first look is at 4', judged.tests[0].reason)

    def test_more_recordings_than_the_last_look_are_refused(self):
        with self.assertRaisesRegex(GateError, '29 recordings; wanted at most 28'):
            judge(recordings([pair()] * 29))

    def test_what_comes_behind_a_decision_changes_nothing(self):
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
        before = judge(recordings(pairs, stopped='interrupted'))
        self.assertEqual((before.outcome, before.looked_at, before.settled), (Outcome.UNDECIDED, 9, False))
        last = judge(recordings(pairs, stopped='budget'))
        self.assertEqual((last.outcome, last.looked_at, last.settled), (Outcome.REGRESSION, 11, True))
        # t with 10 degrees of freedom, at what is left of the level of one of two tests.
        values = [math.log(1.06 * (1 + 0.04 * (-1) ** turn)) for turn in range(11)]
        alpha = looks.pocock_levels((4, 6, 9, 11), 0.005 / 2, 28)[3]
        self.assertAlmostEqual(last.tests[0].interval.lower, looks.student_interval(values, alpha, 0.05).lower)

    def test_before_the_first_look_nothing_is_judged(self):
        judged = judge(recordings([pair(2.0)] * 3, stopped='budget'))
        self.assertEqual((judged.outcome, judged.looked_at, judged.settled), (Outcome.UNDECIDED, 0, False))

    def test_what_an_earlier_look_decided_stays(self):
        first = judge(recordings(jittered(1.06, 6)))
        self.assertEqual(judge(recordings(jittered(1.06, 6) + [pair(0.5)] * 6, stopped='budget')), first)


class StoredBaselineTest(unittest.TestCase):
    def test_never_more_than_a_suspicion_and_never_fine(self):
        for ratio, reason in ((1.5, verdict.SUSPECT), (1.0, verdict.UNPROVEN), (0.5, verdict.UNPROVEN)):
            judged = judge(recordings(jittered(ratio, 4), method='stored'))
            self.assertEqual((judged.outcome, judged.exit_status), (Outcome.UNDECIDED, 3))
            self.assertEqual([(test.outcome, test.reason) for test in judged.tests], [(Outcome.UNDECIDED, reason)] * 2)

    def test_what_cannot_be_judged_stays_so(self):
        judged = judge(recordings(jittered(1.5, 4, others=LOADED), method='stored'))
        self.assertEqual(outcomes(judged)['wall'], Outcome.NOT_JUDGED)


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
        self.assertEqual(outcomes(judged), {'cpu': Outcome.FINE, 'wall': Outcome.REGRESSION})
        self.assertEqual(judged.exit_status, 1)

    def test_a_wait_is_not_judged_on_a_loaded_one_and_never_fine(self):
        judged = judge(recordings(jittered(1.0, others=LOADED, wall_ratio=1.10)))
        self.assertEqual(outcomes(judged), {'cpu': Outcome.FINE, 'wall': Outcome.NOT_JUDGED})
        self.assertIn('quiet in 0 of 4 recordings', judged.tests[1].reason)
        self.assertEqual(judged.exit_status, 0)

    def test_required_wall_time_that_cannot_be_judged_is_undecided(self):
        judged = judge(recordings(jittered(1.0, others=LOADED), required=('cpu', 'wall')))
        self.assertEqual((judged.outcome, judged.exit_status), (Outcome.UNDECIDED, 3))

    def test_lost_parallelism_under_load_does_not_pass_by_wall_time(self):
        # One core is taken, so the second thread gained nothing: CPU and wall time are the baseline's.
        judged = judge(recordings(jittered(1.0, others=LOADED)))
        self.assertEqual(outcomes(judged)['wall'], Outcome.NOT_JUDGED)

    def test_three_quiet_recordings_are_too_few(self):
        mixed = jittered(1.0, 3, wall_ratio=1.5) + jittered(1.0, 9, others=LOADED, wall_ratio=1.5)
        self.assertEqual(outcomes(judge(recordings(mixed)))['wall'], Outcome.NOT_JUDGED)

    def test_waits_for_quiet_recordings_while_most_are(self):
        mixed = jittered(1.0, 2, others=LOADED) + jittered(1.0, 10, wall_ratio=1.2)
        judged = judge(recordings(mixed))
        self.assertEqual((judged.looked_at, judged.outcome), (6, Outcome.REGRESSION))

    def test_a_load_that_comes_with_the_candidate_is_a_reason_not_a_pass(self):
        pairs = [dataclasses.replace(each, candidate=dataclasses.replace(each.candidate, busy=1.5))
                 for each in jittered(1.0, wall_ratio=1.3)]
        self.assertEqual(outcomes(judge(recordings(pairs)))['wall'], Outcome.NOT_JUDGED)

    def test_without_proc_stat_wall_time_is_not_judged(self):
        pairs = [dataclasses.replace(each, baseline=dataclasses.replace(each.baseline, busy=None))
                 for each in jittered(1.0, wall_ratio=1.3)]
        judged = judge(recordings(pairs))
        self.assertEqual(outcomes(judged)['wall'], Outcome.NOT_JUDGED)
        self.assertIn('unknown', judged.tests[1].reason)


class CalibrationTest(unittest.TestCase):
    def calibration(self, half_width, **machine):
        return Calibration({**MACHINE, **machine}, {('Train/a', 'cpu'): half_width})

    def test_delta_is_twice_the_half_width_and_at_least_three_percent(self):
        self.assertEqual(calibrations.delta(self.calibration(0.01), 'Train/a', 'cpu'), 0.03)
        self.assertAlmostEqual(calibrations.delta(self.calibration(0.02), 'Train/a', 'cpu'), math.exp(0.04) - 1)
        self.assertEqual(calibrations.delta(self.calibration(0.02), 'Train/a', 'wall'), 0.03)
        self.assertEqual(calibrations.delta(None, 'Train/a', 'cpu'), 0.03)

    def test_a_raised_delta_is_what_counts(self):
        taken = recordings(jittered(1.045))
        self.assertEqual(outcomes(judge(taken))['cpu'], Outcome.REGRESSION)
        self.assertEqual(outcomes(judge(taken, self.calibration(0.03)))['cpu'], Outcome.FINE)

    def test_above_ten_percent_is_not_judged(self):
        judged = judge(recordings(jittered(1.5, wall_ratio=1.0)), self.calibration(0.06))
        self.assertEqual(outcomes(judged)['cpu'], Outcome.NOT_JUDGED)
        self.assertIn('delta would be 13 %', judged.tests[0].reason)
        self.assertEqual(judged.exit_status, 3)

    def test_the_smallest_delta_is_what_the_gate_was_asked_for(self):
        taken = recordings(jittered(1.045), delta=0.05)
        self.assertEqual(outcomes(judge(taken)), {'cpu': Outcome.FINE, 'wall': Outcome.FINE})
        self.assertAlmostEqual(judge(taken, self.calibration(0.03)).tests[0].delta, math.exp(0.06) - 1)
        # What was asked for is judged, however large; what a noisy machine makes of it is not.
        wide = recordings(jittered(1.5), delta=0.2)
        self.assertEqual(outcomes(judge(wide))['cpu'], Outcome.REGRESSION)
        self.assertIn('delta would be 22 % here, at most 20 %', judge(wide, self.calibration(0.1)).tests[0].reason)

    def test_another_machines_is_refused(self):
        with self.assertRaisesRegex(GateError, "another machine: cpu 'Other'; wanted 'Example CPU'"):
            judge(recordings(jittered(1.0)), self.calibration(0.01, cpu='Other'))

    def test_measured_half_width_is_that_of_the_95_percent_interval(self):
        same = Side(('train',))
        taken = recordings(jittered(1.0), baseline=same, candidate=same)
        measured = calibrations.measure(taken)
        # Of +-x, 14 of each, s^2 / n is x^2 / 27; the 97.5 % point of t with 27 degrees of freedom is 2.052.
        wanted = 2.052 * math.log(1.005) / math.sqrt(27)
        self.assertAlmostEqual(measured.half_widths['Train/a', 'cpu'], wanted, delta=1e-6)
        self.assertEqual(measured.machine, MACHINE)
        other_words = recordings(jittered(1.0), same_program=True)
        self.assertEqual(calibrations.measure(other_words).half_widths, measured.half_widths)

    def test_only_a_whole_gate_of_one_program_calibrates(self):
        same = Side(('train',))
        with self.assertRaisesRegex(GateError, 'differ'):
            calibrations.measure(recordings(jittered(1.0)))
        with self.assertRaisesRegex(GateError, '4 recordings; wanted 28'):
            calibrations.measure(recordings(jittered(1.0, 4), baseline=same, candidate=same))


if __name__ == '__main__':
    xml_unittest.main()
