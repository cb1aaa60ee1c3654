"""Tests of prediction.py and of the program."""

import contextlib
import io
import json
import os
import tempfile
import unittest

from benchmarks.simulate import simulate
from benchmarks.simulate.prediction import Predictor, UnmeasuredLevelError, interval_width
from benchmarks.simulate.series import Measurement, Series
from benchmarks.simulate.network import Level, Network
from reports.json_file import ReportError
from tools import xml_unittest

EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "examples/resnet50_k80.json")


def series_of(*measured):
    points = tuple(Measurement(*point) for point in measured)
    seconds = 10 * points[0].replicas / points[0].throughput
    network = Network(per_node=8, inside=Level(1e10, 1e-6), between=Level(1e9, 1e-5))
    return Series("A", 10, seconds, 1e6, "convolutions", network, points)


def run(*arguments):
    """(exit status, standard output, standard error)."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = simulate.main(list(arguments))
        except SystemExit as end:
            status = end.code
    return status, out.getvalue(), err.getvalue()


class PredictorTest(unittest.TestCase):
    def test_the_largest_measurement_is_met(self):
        predictor = Predictor(series_of((1, 50), (2, 98), (4, 190)))
        self.assertAlmostEqual(predictor.predict(4).throughput, 190)

    def test_efficiency_falls_with_replicas(self):
        predictor = Predictor(series_of((1, 50), (2, 98), (4, 190)))
        found = [predictor.predict(count).efficiency for count in (4, 8, 64, 512)]
        self.assertEqual(found, sorted(found, reverse=True))

    def test_intervals_widen_with_distance(self):
        # 3 % at the largest measurement, 2.5 % more for each doubling.
        self.assertEqual(interval_width(1), 0.03)
        self.assertAlmostEqual(interval_width(8), 0.105)

    def test_one_replica_does_not_suffice(self):
        with self.assertRaisesRegex(ReportError, "of one replica"):
            Predictor(series_of((1, 50)))

    def test_a_level_without_measurements_is_refused(self):
        predictor = Predictor(series_of((1, 50), (8, 380)))
        predictor.check_measured(8)
        with self.assertRaisesRegex(UnmeasuredLevelError, "16 replicas take 2 nodes.*--unmeasured"):
            predictor.check_measured(16)
        Predictor(series_of((1, 50), (16, 700))).check_measured(512)


class ProgramTest(unittest.TestCase):
    def test_prints_and_writes_forecasts(self):
        folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        data, plot = os.path.join(folder, "f.json"), os.path.join(folder, "f.svg")
        status, out, err = run(EXAMPLE, "--replicas=64,128", f"--json={data}", f"--plot={plot}")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("fitted to 5 measurements of up to 64 replicas", out)
        with open(data, encoding="utf-8") as file:
            at_64, at_128 = json.load(file)["forecasts"]
        self.assertAlmostEqual(at_64["throughput"], 2744)
        self.assertLess(at_128["throughput"], 2 * 2744)
        self.assertAlmostEqual(sum(at_128["parts"].values()), at_128["seconds"])
        with open(plot, encoding="utf-8") as file:
            self.assertIn("predicted", file.read())

    def test_a_faster_network_does_not_slow_it_down(self):
        _, slow, _ = run(EXAMPLE, "--replicas=512")
        _, fast, _ = run(EXAMPLE, "--replicas=512", "--between=12.5")
        rate = [int(text.splitlines()[-1].split()[1].replace(",", "")) for text in (slow, fast)]
        self.assertGreater(rate[1], rate[0])

    def test_mistakes_are_told(self):
        for arguments, status, message in (
            ((EXAMPLE,), 2, "--replicas"),
            ((EXAMPLE, "--replicas=x"), 2, "wanted numbers"),
            ((EXAMPLE, "--replicas=0"), 2, "must be in 1"),
            ((EXAMPLE, "--replicas=2", "--between=-1"), 2, "wanted a positive number"),
            ((EXAMPLE, "--replicas=2", "--accumulation=0"), 2, "at least 1"),
            (("/none.json", "--replicas=2"), 1, "none.json"),
        ):
            found = run(*arguments)
            self.assertEqual(found[0], status, found)
            self.assertIn(message, found[2])


if __name__ == "__main__":
    xml_unittest.main()
