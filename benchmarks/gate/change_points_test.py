"""Change points, against SciPy's t-test, by hand, and how often a simulation finds and invents them."""

import math
import unittest

import numpy as np
from scipy import stats

from benchmarks.gate import change_points
from benchmarks.gate.gate_testing import MACHINE, line, nights
from benchmarks.gate.recording import Side
from tools import xml_unittest

# Of one gate against an anchor, as measured: the standard error of its log ratio.
SE = 0.006


class FindTest(unittest.TestCase):
    def test_numbers_are_those_of_scipys_pooled_t_test(self):
        rng = np.random.default_rng(11)
        values = np.concatenate([0.004 + rng.standard_normal(9) * SE, 0.03 + rng.standard_normal(5) * SE])
        (change,) = change_points.find(values)
        seen = values[: change.found + 1 + change_points.FEWEST]
        before, after = seen[: change.index], seen[change.index :]
        wanted = stats.ttest_ind(after, before)
        self.assertAlmostEqual(change.t, wanted.statistic, places=10)
        self.assertAlmostEqual(change.size, after.mean() - before.mean(), places=14)
        self.assertAlmostEqual(
            (change.upper - change.lower) / 2,
            stats.t.isf(0.025, len(seen) - 2) * change.size / wanted.statistic,
            places=12,
        )
        self.assertAlmostEqual((change.upper + change.lower) / 2, change.size, places=14)

    def test_the_best_of_all_splits_is_taken(self):
        rng = np.random.default_rng(12)
        for _ in range(50):
            values = rng.standard_normal(24)
            split = change_points._best_split(values)
            tests = {place: stats.ttest_ind(values[place:], values[:place]).statistic for place in range(4, 21)}
            self.assertEqual(split.index, max(tests, key=lambda place: abs(tests[place])))
            self.assertAlmostEqual(split.t, tests[split.index], places=10)

    def test_a_step_is_found_where_it_is_up_or_down(self):
        for step in (0.02, -0.02):
            values = [0.001, -0.001] * 6 + [step + 0.001, step - 0.001] * 6
            (change,) = change_points.find(values)
            self.assertEqual(change.index, 12)
            self.assertAlmostEqual(change.size, step, delta=0.001)

    def test_each_change_is_compared_with_the_previous_level(self):
        values = [0.001, -0.001] * 8 + [0.021, 0.019] * 8 + [0.041, 0.039] * 8
        changes = change_points.find(values)
        self.assertEqual([change.index for change in changes], [16, 32])
        self.assertAlmostEqual(changes[1].size, 0.02, delta=0.001)

    def test_more_values_change_nothing_that_has_settled(self):
        rng = np.random.default_rng(13)
        values = np.concatenate([level + rng.standard_normal(30) * SE for level in (0, 0.02, 0.005)])
        all_ = change_points.find(values)
        self.assertGreaterEqual(len(all_), 2)
        for end in range(len(values)):
            settled = [change for change in all_ if change.found + change_points.FEWEST < end]
            self.assertEqual(change_points.find(values[:end])[: len(settled)], settled)

    def test_a_large_step_is_not_placed_where_it_is_first_seen(self):
        # Three points after it are enough to see it, but four are wanted after a split.
        values = [0.001, -0.001] * 6 + [0.05] * 8
        self.assertEqual(change_points.find(values[:15])[0].index, 11)
        (change,) = change_points.find(values)
        self.assertEqual((change.index, change.found), (12, 14))

    def test_a_level_far_from_zero_makes_no_difference(self):
        rng = np.random.default_rng(14)
        values = np.concatenate([rng.standard_normal(15) * SE, 0.03 + rng.standard_normal(15) * SE])
        (near,) = change_points.find(values)
        (far,) = change_points.find(values + 1000)
        self.assertEqual(far.index, near.index)
        self.assertAlmostEqual(far.t, near.t, delta=1e-6)

    def test_a_step_that_is_clear_but_small_is_none(self):
        self.assertEqual(change_points.find([0.0001, -0.0001] * 6 + [0.0076, 0.0072] * 6), [])
        self.assertEqual(len(change_points.find([0.0001, -0.0001] * 6 + [0.0078, 0.0076] * 6)), 1)

    def test_too_few_points_on_a_side_are_none(self):
        for count in range(4):
            self.assertEqual(change_points.find([0.001, -0.001, 0][:count] + [0.05] * 4), [])
        self.assertEqual(change_points.find([0.001, -0.001] * 6 + [0.05]), [])

    def test_values_without_spread(self):
        self.assertEqual(change_points.find([0.25] * 30), [])
        (change,) = change_points.find([0.0] * 6 + [0.5] * 6)
        self.assertEqual((change.index, change.size, change.lower, change.upper), (6, 0.5, 0.5, 0.5))
        self.assertEqual(change.t, math.inf)
        for count in range(8):
            self.assertEqual(change_points.find([0.25] * count), [])

    def test_points_before_the_window_do_not_count(self):
        # Two outliers hide the step while they are in the window.
        calm, step = [0.001, -0.001] * 11, [0.011, 0.009] * 6
        (hidden,) = change_points.find([0.1, -0.1] + calm + step)
        self.assertEqual(hidden.found, change_points.find(calm + step)[0].found + 2)
        self.assertEqual(hidden.index, 24)


class SimulationTest(unittest.TestCase):
    def test_a_step_of_one_and_a_half_percent_is_found_soon_by_nearly_all(self):
        rng, found, delays = np.random.default_rng(21), 0, []
        for _ in range(400):
            steps = np.repeat([0, math.log1p(0.015)], 24)
            late = [change for change in change_points.find(steps + rng.standard_normal(48) * SE) if change.found >= 24]
            found += bool(late)
            delays += [change.found - 23 for change in late[:1]]
        self.assertGreater(found / 400, 0.96)  # 98 % +- 0.7
        self.assertLessEqual(np.median(delays), 5)

    def test_commits_that_slowed_it_down_are_named(self):
        rng, right = np.random.default_rng(24), 0
        for _ in range(200):
            steps = np.repeat([0, math.log1p(0.03)], [24, 12])
            right += 24 in [change.index for change in change_points.find(steps + rng.standard_normal(36) * SE)]
        self.assertGreater(right / 200, 0.93)  # 98 % +- 1

    def test_where_nothing_changes_there_are_few_calls(self):
        rng = np.random.default_rng(22)
        calls = sum(len(change_points.find(rng.standard_normal(400) * SE)) for _ in range(60))
        self.assertLess(calls / 240, 0.2)  # in 100 points: 0.07 +- 0.02

    def test_the_best_of_all_splits_is_clear_by_chance_once_in_a_thousand(self):
        rng = np.random.default_rng(23)
        clear = sum(
            abs(change_points._best_split(rng.standard_normal(24)).t) > change_points.CLEAR_T for _ in range(20000)
        )
        self.assertAlmostEqual(clear / 20000, 0.001, delta=4 * math.sqrt(0.001 / 20000))


class SeriesTest(unittest.TestCase):
    def test_only_comparable_lines_form_a_series(self):
        same = nights([0.01, 0.02])
        others = [
            line(0.5, 2, **changes)
            for changes in (
                {"entry": "Train/b"},
                {"metric": "wall"},
                {"machine": {**MACHINE, "cores": 64}},
                {"baseline": Side(("train",), "a2")},
            )
        ]
        found = change_points.series_of(same + others)
        self.assertEqual([[each.estimate for each in one.points] for one in found], [[0.01, 0.02]] + [[0.5]] * 4)

    def test_an_anchor_is_a_commit_or_else_a_command_and_its_program(self):
        def anchors(*sides):
            return len(change_points.series_of([line(0.0, baseline=side) for side in sides]))

        self.assertEqual(anchors(Side(("x",), "a1", "d1"), Side(("y", "z"), "a1", "d2")), 1)
        self.assertEqual(anchors(Side(("x",), "", "d1"), Side(("x",), "", "d1")), 1)
        self.assertEqual(anchors(Side(("x",), "a1+changes", "d1"), Side(("x",), "a1+changes", "d2")), 2)
        self.assertEqual(
            anchors(Side(("x",), "", "d1"), Side(("x",), "", "d2"), Side(("y",), "", "d1"), Side(("x",), "a1", "d1")), 4
        )

    def test_gates_against_a_stored_result_are_no_points(self):
        stored = nights([0.5] * 8, method="stored")
        (one,) = change_points.series_of(stored + nights([0.01, 0.02]))
        self.assertEqual(([each.estimate for each in one.points], len(one.lines)), ([0.01, 0.02], 10))

    def test_changes_are_those_of_the_judged_points(self):
        estimates = [0.001, None, -0.001, None] * 4 + [0.031, 0.029] * 4
        (one,) = change_points.series_of(nights(estimates))
        self.assertEqual((len(one.lines), len(one.points)), (24, 16))
        (change,) = one.changes
        self.assertEqual(change.index, 8)
        self.assertTrue(math.isclose(change.size, 0.03))


if __name__ == "__main__":
    xml_unittest.main()
