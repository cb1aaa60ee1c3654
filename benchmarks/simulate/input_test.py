"""Tests of input.py, sweep.py and what_if.py."""

import json
import os
import tempfile
import unittest

from benchmarks.simulate import what_if
from benchmarks.simulate.input import read_series, with_scaling, with_sweep
from benchmarks.simulate.sweep import SweepPoint, fit_level
from reports.json_file import ReportError
from tools import xml_unittest

SERIES = {
    "name": "A",
    "batch": 10,
    "gradient_bytes": 1000,
    "gradients": "transformer",
    "cluster": {
        "replicas_per_node": 2,
        "inside": {"gb_per_second": 8, "latency_us": 2},
        "between": {"gb_per_second": 1, "latency_us": 20},
    },
    "measured": [{"replicas": 4, "throughput": 180}, {"replicas": 1, "throughput": 50}],
}


def series_of(**changed):
    """(series, batches) of a file with SERIES, changed."""
    path = os.path.join(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")), "series.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**SERIES, **changed}, file)
    return read_series(path)


def trained(replicas, rate, threads=1, **labels):
    name = "/".join(["Train", "workload:w", f"replicas:{replicas}", *(f"{key}:{value}" for key, value in labels.items())])
    return {"name": name, "items_per_second": rate, "threads_per_replica": threads}


def reduced(size, replicas, seconds, **labels):
    name = "/".join(["AllReduce", f"bytes:{size}", f"replicas:{replicas}", *(f"{k}:{v}" for k, v in labels.items())])
    return {"name": name, "real_time": seconds * 1e6, "time_unit": "us"}


class ReadSeriesTest(unittest.TestCase):
    def test_measurements_are_in_order(self):
        series, batches = series_of()
        self.assertEqual([point.replicas for point in series.measured], [1, 4])
        self.assertEqual(series.micro_batch_seconds, 0.2)
        self.assertEqual(series.network.between.bytes_per_second, 1e9)
        self.assertEqual((batches, series.examples), ([], "examples"))

    def test_wrong_fields_are_named(self):
        for field, value, message in (
            ("batch", 0, "batch"),
            ("gradients", "none", "'none' is not one of"),
            ("measured", [], r"measured"),
            ("cluster", {}, "cluster"),
            ("typo", 1, "typo"),
        ):
            with self.assertRaisesRegex(ReportError, message):
                series_of(**{field: value})

    def test_a_missing_file_is_named(self):
        with self.assertRaisesRegex(ReportError, "none.json"):
            read_series("/none.json")


class WithScalingTest(unittest.TestCase):
    def test_replicas_of_workers_count_together(self):
        result = {"benchmarks": [trained(2, 90, workers=2), trained(1, 30), {"name": "Copy/bytes:1"}]}
        series = with_scaling(series_of()[0], result)
        self.assertEqual([(at.replicas, at.throughput) for at in series.measured], [(1, 30), (4, 90)])
        self.assertAlmostEqual(series.micro_batch_seconds, 1 / 3)

    def test_different_threads_are_refused(self):
        with self.assertRaisesRegex(ReportError, "1 or 2 threads"):
            with_scaling(series_of()[0], {"benchmarks": [trained(1, 30, 2), trained(2, 40, 1)]})

    def test_another_result_is_refused(self):
        with self.assertRaisesRegex(ReportError, "no training"):
            with_scaling(series_of()[0], {"benchmarks": []})


class SweepTest(unittest.TestCase):
    def test_a_ring_is_found_again(self):
        # 2 (n - 1) messages of 3 us, and 2 (n - 1) / n of the bytes at 10 GB/s.
        points = [
            SweepPoint(size, n, 1, 2 * (n - 1) * 3e-6 + 2 * (n - 1) / n * size / 1e10)
            for size in (4096, 10**6, 10**8)
            for n in (2, 4, 8)
        ]
        level = fit_level(points)
        self.assertAlmostEqual(level.latency * 1e6, 3)
        self.assertAlmostEqual(level.bytes_per_second / 1e9, 10)

    def test_each_level_gets_its_entries(self):
        entries = [reduced(size, 2, 1e-6 + size / 1e9) for size in (1000, 10**6)]
        entries += [reduced(size, 1, 1e-4 + size / 1e8, workers=2) for size in (1000, 10**6)]
        series = with_sweep(series_of()[0], {"benchmarks": entries})
        self.assertAlmostEqual(series.network.inside.bytes_per_second / 1e9, 1)
        self.assertAlmostEqual(series.network.between.bytes_per_second / 1e8, 1)
        self.assertAlmostEqual(series.network.between.latency * 1e6, 50)

    def test_one_size_is_refused(self):
        with self.assertRaisesRegex(ReportError, "1 sizes"):
            fit_level([SweepPoint(8, 2, 1, 1e-6)])

    def test_times_that_do_not_grow_are_refused(self):
        with self.assertRaisesRegex(ReportError, "no longer"):
            fit_level([SweepPoint(8, 2, 1, 1e-3), SweepPoint(10**6, 2, 1, 1e-4)])

    def test_statistics_are_left_out(self):
        entry = {**reduced(8, 2, 1e-6), "run_type": "aggregate"}
        with self.assertRaisesRegex(ReportError, "no AllReduce entry"):
            with_sweep(series_of()[0], {"benchmarks": [entry]})


class WhatIfTest(unittest.TestCase):
    def test_another_batch(self):
        # 10 examples take 0.2 s and 30 take 0.4 s: 0.1 s and 10 ms an example.
        series = what_if.with_batch(series_of()[0], 50, [(10, 50), (30, 75)])
        self.assertEqual(series.batch, 50)
        self.assertAlmostEqual(series.micro_batch_seconds, 0.6)

    def test_another_batch_needs_two_sizes(self):
        with self.assertRaisesRegex(ReportError, "two or more"):
            what_if.with_batch(series_of()[0], 50, [(10, 50), (10, 51)])

    def test_larger_batches_take_longer(self):
        with self.assertRaisesRegex(ReportError, "measure them again"):
            what_if.with_batch(series_of()[0], 50, [(10, 50), (30, 300)])

    def test_another_network(self):
        network = what_if.with_bandwidth(series_of()[0], 4e9).network
        self.assertEqual(network.between.bytes_per_second, 4e9)
        self.assertAlmostEqual(network.between.latency * 1e6, 20)


if __name__ == "__main__":
    xml_unittest.main()
