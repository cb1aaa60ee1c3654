"""Ratios of ours to peers and to earlier dates."""

import math
import unittest

from reports.performance import ratios, trends
from reports.performance.result_testing import load, peer_training, result, rounds, training
from tools import xml_unittest


def of_peers(*entries, **context):
    return ratios.against_peers(load(result(*entries, **context)).series)


class IntervalTest(unittest.TestCase):
    def test_students_interval_on_logarithms(self):
        # logs 0, ln 4; mean ln 2, standard error ln 2; t(0.975, 1) = 12.7062 (Student's table)
        interval = ratios.interval_of([1.0, 4.0])
        self.assertAlmostEqual(interval.ratio, 2.0)
        self.assertAlmostEqual(math.log(interval.high / interval.ratio) / math.log(2), 12.7062, places=4)
        self.assertAlmostEqual(interval.low * interval.high, 4.0)
        self.assertEqual(interval.count, 2)

    def test_inverse_ratios_have_the_inverse_interval(self):
        interval, inverse = ratios.interval_of([1.5, 2.0, 2.5]), ratios.interval_of([1 / 1.5, 1 / 2.0, 1 / 2.5])
        self.assertAlmostEqual(interval.low * inverse.high, 1)

    def test_equal_ratios_have_an_interval_of_no_width(self):
        interval = ratios.interval_of([4.0] * 3)
        self.assertEqual((interval.low, interval.ratio, interval.high), (interval.ratio,) * 3)

    def test_verdicts(self):
        for values, verdict in (
            ([2.0, 2.1, 2.2], "faster"),
            ([0.5, 0.51, 0.52], "slower"),
            ([0.5, 2.1, 1.0], "no difference shown"),
            ([0.5, 1.9, 1.0], "no difference shown"),
            ([9.0], "one round"),
        ):
            self.assertEqual(ratios.interval_of(values).verdict, verdict)


class PeersTest(unittest.TestCase):
    def test_round_i_is_divided_by_round_i(self):
        # Divided by anything else, the machine's slow second round would widen the interval.
        [ratio] = of_peers(
            *rounds(training, (100.0, 10.0, 100.0)), *rounds(lambda **of: peer_training("p", **of), (25.0, 2.5, 25.0))
        )
        self.assertAlmostEqual(ratio.ratio, 4.0)
        self.assertAlmostEqual(ratio.interval.low, 4.0)
        self.assertEqual((ratio.interval.count, ratio.verdict), (3, "faster"))
        self.assertEqual((ratio.ours.program, ratio.theirs.program), ("lockstep", "p/1"))

    def test_rounds_of_only_one_program_do_not_count(self):
        [ratio] = of_peers(
            *rounds(training, (8.0, 8.0, 1.0)), *rounds(lambda **of: peer_training("p", **of), (2.0, 2.0))
        )
        self.assertEqual((ratio.ratio, ratio.interval.count), (4.0, 2))

    def test_a_round_is_the_median_of_its_samples(self):
        [ratio] = of_peers(
            training(samples=(1.0, 6.0, 7.0), round=1), peer_training("p", samples=(2.0, 3.0, 9.0), round=1)
        )
        self.assertEqual((ratio.ratio, ratio.verdict), (2.0, "one round"))

    def test_only_the_same_work_is_compared(self):
        self.assertEqual(of_peers(training(2, round=1), peer_training("p", 1, round=1)), [])
        self.assertEqual(
            len(
                of_peers(
                    training(1, round=1),
                    training(2, round=1),
                    peer_training("p", 1, round=1),
                    peer_training("p", 2, round=1),
                    peer_training("q", 2, round=1),
                )
            ),
            3,
        )

    def test_different_files_are_not_compared(self):
        series = load(result(training(round=1)), result(peer_training("p", round=1))).series
        self.assertEqual(ratios.against_peers(series), [])

    def test_what_took_no_turns_has_no_verdict(self):
        [ratio] = of_peers({"name": "Pool/by:own", "real_time": 2.0}, {"name": "Pool/by:cudnn", "real_time": 6.0})
        self.assertEqual((ratio.ratio, ratio.interval, ratio.verdict), (3.0, None, "not measured in turns"))

    def test_turns_within_a_repetition(self):
        kernel = {"name": "Relu", "real_time": 1, "own_us": 2.0, "onednn_us": 6.0}
        [ratio] = of_peers(*({**kernel, "gain": gain, "repetition_index": i} for i, gain in enumerate((2.0, 8.0))))
        self.assertAlmostEqual(ratio.ratio, 4.0)
        self.assertEqual(ratio.interval.count, 2)

    def test_the_suite_input_has_two_names_of_one_work(self):
        entries = (
            {"name": "Images/batch:128/replicas:2", "items_per_second": 8.0, "round": 1},
            {
                "name": "DistributeDataset/source:x/batch:128/replicas:2",
                "program": "tf",
                "round": 1,
                "images_per_second": 2.0,
                "samples": [2.0],
            },
        )
        self.assertEqual(of_peers(*entries), [])
        [ratio] = of_peers(*entries, suite="input")
        self.assertEqual(ratio.ratio, 4.0)


class DatesTest(unittest.TestCase):
    def changes(self, *results):
        return ratios.against_dates(trends.histories(load(*results).series))

    def test_the_newest_against_the_one_before(self):
        days = [
            result(training(samples=(speed,)), date=f"2026-01-0{day}T00:00:00+00:00")
            for day, speed in ((2, 40.0), (3, 50.0), (1, 10.0))
        ]
        [change] = self.changes(*days)
        self.assertEqual((change.ratio, change.new.source.name, change.old.source.name), (1.25, "2", "1"))

    def test_rows_of_two_files_are_together_newest_first(self):
        results = (
            result(training(1), training(2)),
            result(training(2), date="2026-01-02T00:00:00Z"),
            result(training(1), training(4), date="2026-01-03T00:00:00Z"),
            result(training(4), date="2026-01-04T00:00:00Z"),
        )
        self.assertEqual(
            [(change.new.source.name, change.old.source.name) for change in self.changes(*results)],
            [("4", "3"), ("3", "1"), ("2", "1")],
        )

    def test_times_and_peers(self):
        [change] = self.changes(
            *(
                result({"name": "L", "real_time": time}, peer_training("p"), date=date)
                for time, date in ((8, "2026-01-01T00:00:00Z"), (2, "2026-01-02T00:00:00Z"))
            )
        )
        self.assertEqual(change.ratio, 4.0)

    def test_drift_is_the_widest_of_any_program(self):
        drift = ratios.largest_drift(
            load(
                result(*rounds(training, (4.0, 5.0)), *rounds(lambda **of: peer_training("p", **of), (2.0, 3.0, 1.0)))
            ).series
        )
        self.assertEqual((drift.ratio, drift.series.program), (3.0, "p/1"))
        self.assertIsNone(ratios.largest_drift(load(result(training())).series))


if __name__ == "__main__":
    xml_unittest.main()
