"""The all-reduce benchmark between processes as a user starts it."""

import json
import os
import tempfile

from benchmarks.micro.benchmark_program import BenchmarkProgramTest
from tools import xml_unittest


class WorkerAllReduceBenchmarkTest(BenchmarkProgramTest):
    PROGRAM = "benchmarks/micro/worker_all_reduce_benchmark"

    def check_entries(self, replicas, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")
            result = self.run_program("--benchmark_filter=bytes:4096/", f"--benchmark_out={path}", *options)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(path, encoding="utf-8") as file:
                entries = json.load(file)["benchmarks"]
        self.assertEqual(
            [entry["name"].partition("/iterations")[0] for entry in entries],
            [
                f"AllReduce/algorithm:{algorithm}/bytes:4096/replicas:{replicas}/device:cpu"
                for algorithm in ("gloo", "mpi")
            ],
        )
        for entry in entries:
            self.assertNotIn("error_occurred", entry)
            self.assertAlmostEqual(entry["algbw"] * entry["p50_us"] * 1e-6, 4096, delta=1)

    def test_all_workers_run_the_requested_entries(self):
        self.check_entries(2)

    def test_replicas_of_workers_are_counted_together(self):
        self.check_entries(4, "--workers=2", "--replicas=2")

    def test_a_number_that_is_none_is_refused(self):
        result = self.run_program("--replicas=two")
        self.assertEqual(result.returncode, 1)
        self.assertIn("--replicas=", result.stderr)

    def test_an_option_of_no_known_name_is_refused(self):
        result = self.run_program("--bytes=1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("--bytes=1", result.stderr)


if __name__ == "__main__":
    xml_unittest.main()
