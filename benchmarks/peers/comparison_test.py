import unittest

from tools import xml_unittest

import comparison


class ScheduleTest(unittest.TestCase):
    def test_every_other_round_goes_backwards(self):
        self.assertEqual(
            comparison.schedule(["a", "b", "c"], 3), list("abc" + "cba" + "abc")
        )

    def test_each_program_runs_once_a_round_and_stands_in_the_middle_on_average(self):
        order = comparison.schedule(["a", "b", "c", "d"], 4)
        for name in "abcd":
            places = [index for index, other in enumerate(order) if other == name]
            self.assertEqual(sum(places) / 4, (len(order) - 1) / 2)


class MedianIntervalTest(unittest.TestCase):
    def test_equal_values_leave_no_doubt(self):
        low, high = comparison.median_interval([2.0] * 7)
        self.assertAlmostEqual(low, 2.0, places=12)
        self.assertAlmostEqual(high, 2.0, places=12)

    def test_one_value_is_a_point(self):
        low, high = comparison.median_interval([3.0])
        self.assertAlmostEqual(low, 3.0, places=12)
        self.assertAlmostEqual(high, 3.0, places=12)

    def test_it_holds_the_median_and_lies_within_the_values(self):
        values = [1.0, 1.5, 2.0, 4.0, 8.0]
        low, high = comparison.median_interval(values)
        self.assertTrue(1.0 - 1e-9 <= low <= 2.0 <= high <= 8.0 + 1e-9)
        self.assertLess(low, high)

    def test_one_outlier_among_many_does_not_widen_it(self):
        _, high = comparison.median_interval([2.0] * 20 + [100.0])
        self.assertAlmostEqual(high, 2.0, places=12)


class CompareTest(unittest.TestCase):
    def test_round_i_is_divided_by_round_i(self):
        # The machine is half as fast in round 2: both suffer, the ratio does not.
        runs = {
            "ours": [{"replicas:1": [20.0]}, {"replicas:1": [10.0]}],
            "peer": [{"replicas:1": [10.0]}, {"replicas:1": [5.0]}],
        }
        (ratio,) = comparison.compare(runs, "ours")
        self.assertEqual(ratio.ratios, [2.0, 2.0])
        self.assertEqual((ratio.ours, ratio.theirs), (15.0, 7.5))
        self.assertAlmostEqual(ratio.median, 2.0, places=12)
        self.assertEqual(ratio.of_best, 2.0)

    def test_a_run_counts_as_the_median_of_its_samples(self):
        runs = {
            "ours": [{"x": [1.0, 6.0, 100.0]}],
            "peer": [{"x": [3.0, 2.0, 1.0]}],
        }
        (ratio,) = comparison.compare(runs, "ours")
        self.assertEqual(ratio.ratios, [3.0])
        self.assertAlmostEqual(ratio.of_best, 100 / 3)

    def test_the_best_peer_of_a_setting_comes_first(self):
        runs = {
            "ours": [{"x": [6.0]}],
            "slow": [{"x": [1.0]}],
            "fast": [{"x": [3.0]}],
        }
        peers = [ratio.peer for ratio in comparison.compare(runs, "ours")]
        self.assertEqual(peers, ["fast", "slow"])

    def test_only_settings_that_both_have_are_compared(self):
        runs = {
            "ours": [{"replicas:1": [2.0], "replicas:2": [4.0]}],
            "one": [{"replicas:1": [1.0]}],
            "two": [{"replicas:2": [1.0], "replicas:3": [1.0]}],
        }
        found = [
            (r.setting, r.peer, r.median) for r in comparison.compare(runs, "ours")
        ]
        self.assertEqual(
            [f[:2] for f in found], [("replicas:1", "one"), ("replicas:2", "two")]
        )
        self.assertAlmostEqual(found[1][2], 4.0)

    def test_the_table_has_a_row_for_each_ratio(self):
        runs = {"ours": [{"x": [6.0]}], "peer": [{"x": [3.0]}]}
        header, row = comparison.table(comparison.compare(runs, "ours")).splitlines()
        self.assertIn("ratio", header)
        self.assertEqual(row.split()[:2], ["x", "peer"])
        self.assertIn(" 2.00 ", row)


if __name__ == "__main__":
    xml_unittest.main()
