"""A benchmark as a user starts it, on a machine with a GPU or without one, for tests."""

import os
import subprocess
import unittest


class BenchmarkProgramTest(unittest.TestCase):
    PROGRAM = None  # "benchmarks/micro/kernels_benchmark"

    def run_program(self, *arguments):
        return subprocess.run(
            [os.path.abspath(self.PROGRAM), *arguments],
            env={"HOME": "/", **os.environ},  # users have one, which Open MPI 5 needs; Bazel's tests have none
            check=False,
            capture_output=True,
            text=True,
            timeout=240,
        )

    def ran_on_a_gpu(self, result):
        """Whether it ran; else it must have reported that there is no GPU."""
        if result.returncode == 0:
            return True
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("no CUDA device", result.stderr)
        self.assertEqual(result.stdout, "")
        return False

    def check_help(self, *options):
        result = self.run_program("--help")
        self.assertEqual(result.returncode, 0)
        for option in options:
            self.assertIn(option, result.stdout)

    def check_refused(self, argument):
        result = self.run_program(argument)
        self.assertEqual(result.returncode, 2)
        self.assertIn(argument.partition("=")[0], result.stderr + result.stdout)
