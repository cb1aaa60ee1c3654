"""The all-reduce benchmark for GPUs as a user starts it, with and without one."""

import os
import subprocess
import unittest

from tools import xml_unittest

PROGRAM = os.path.abspath("benchmarks/micro/gpu_all_reduce_benchmark")


def run(*arguments):
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, timeout=240)


class GpuAllReduceBenchmarkTest(unittest.TestCase):
    def test_shows_a_table_or_says_that_there_is_no_gpu(self):
        result = run("--max_bytes=4096", "--iterations=2", "--repetitions=1")
        if result.returncode == 0:
            self.assertIn("algbw", result.stdout)
            return
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("no CUDA device", result.stderr)
        self.assertEqual(result.stdout, "")

    def test_help_shows_the_options(self):
        result = run("--help")
        self.assertEqual(result.returncode, 0)
        for option in ["--replicas", "--algorithms", "--dtype", "--max_bytes"]:
            self.assertIn(option, result.stdout)

    def test_a_wrong_option_is_refused(self):
        result = run("--dtype=float8")
        self.assertNotIn(result.returncode, (0, 2))
        self.assertIn("--dtype", result.stderr + result.stdout)


if __name__ == "__main__":
    xml_unittest.main()
