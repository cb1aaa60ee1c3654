"""Student's interval and Pocock's levels, against SciPy's other functions, by hand and by another integration."""
import math
import unittest

import numpy as np
from scipy import stats

from benchmarks.gate import looks
from benchmarks.gate.recording import GateError
from tools import xml_unittest

VALUES = [0.031, 0.052, 0.044, 0.061, 0.018, 0.047]


class StudentIntervalTest(unittest.TestCase):
    def test_one_sided_bounds_are_those_of_scipys_t_interval(self):
        low, high = stats.t.interval(0.90, len(VALUES) - 1, np.mean(VALUES), stats.sem(VALUES))
        interval = looks.student_interval(VALUES, 0.05, 0.05)
        self.assertAlmostEqual(interval.lower, low, places=14)
        self.assertAlmostEqual(interval.upper, high, places=14)

    def test_lower_bound_touches_zero_at_scipys_p_value(self):
        p_value = stats.ttest_1samp(VALUES, 0, alternative='greater').pvalue
        self.assertAlmostEqual(looks.student_interval(VALUES, p_value, 0.05).lower, 0, places=9)

    def test_quantiles_are_those_of_the_printed_table(self):
        # Upper 2.5 % and 0.5 % points of t, to three decimals, as every statistics book has them.
        for count, wide, wider in ((4, 3.182, 5.841), (6, 2.571, 4.032), (12, 2.201, 3.106)):
            values = [1.0, -1.0] * (count // 2)
            error = math.sqrt(1 / (count - 1))  # the sum of squares is n, so s^2 / n is 1 / (n - 1)
            interval = looks.student_interval(values, 0.005, 0.025)
            self.assertAlmostEqual(-interval.lower / error, wider, delta=0.0005)
            self.assertAlmostEqual(interval.upper / error, wide, delta=0.0005)

    def test_equal_values_leave_no_doubt(self):
        interval = looks.student_interval([0.25] * 4, 0.001, 0.05)
        self.assertEqual((interval.estimate, interval.lower, interval.upper), (0.25, 0.25, 0.25))

    def test_one_value_has_no_spread(self):
        for values in ([], [0.1]):
            with self.assertRaisesRegex(GateError, rf'{len(values)} values; wanted at least 2'):
                looks.student_interval(values, 0.05, 0.05)

    def test_level_is_held_for_normal_values(self):
        draws = np.random.default_rng(3).standard_normal((4000, 4))
        called = sum(looks.student_interval(row, 0.05, 0.05).lower > 0 for row in draws)
        self.assertAlmostEqual(called / 4000, 0.05, delta=4 * math.sqrt(0.05 * 0.95 / 4000))


class PocockLevelsTest(unittest.TestCase):
    def test_one_look_spends_everything(self):
        self.assertAlmostEqual(looks.pocock_levels((7,), 0.005)[0], 0.005, places=12)

    def test_all_looks_together_err_with_the_total(self):
        for sizes, total, planned in (((4, 6, 9, 12), 0.00125, None), ((4, 6, 9, 12), 0.05, None),
                                      ((8, 16, 24, 32), 0.05, None), ((4, 6, 9, 11), 0.00125, 28)):
            bounds = stats.norm.isf(looks.pocock_levels(sizes, total, planned))
            # Of sums at n and m the correlation is sqrt(n / m).
            shares = np.array(sizes) / sizes[-1]
            correlation = np.sqrt(np.minimum.outer(shares, shares) / np.maximum.outer(shares, shares))
            never = stats.multivariate_normal.cdf(bounds, np.zeros(4), correlation, abseps=1e-7, maxpts=2_000_000)
            self.assertAlmostEqual(1 - never, total, delta=2e-5)

    def test_a_last_look_for_which_there_was_time_leaves_those_before_as_they_were(self):
        whole = looks.pocock_levels((4, 6, 9, 13, 19, 28), 0.05)
        ended = looks.pocock_levels((4, 6, 9, 11), 0.05, 28)
        for level, wanted in zip(ended[:3], whole[:3]):
            self.assertAlmostEqual(level, wanted, delta=1e-9)
        self.assertGreater(ended[3], 2 * whole[3])

    def test_first_look_spends_its_share(self):
        first = looks.pocock_levels((4, 6, 9, 12), 0.05)[0]
        self.assertAlmostEqual(first, 0.05 * math.log(1 + (math.e - 1) / 3), places=10)

    def test_equal_looks_have_nearly_one_boundary(self):
        # Pocock's constant for four looks and 2.5 % a side is 2.361 (Jennison and Turnbull, table 2.1).
        bounds = stats.norm.isf(looks.pocock_levels((8, 16, 24, 32), 0.025))
        for bound in bounds:
            self.assertAlmostEqual(bound, 2.361, delta=0.03)


if __name__ == '__main__':
    xml_unittest.main()
