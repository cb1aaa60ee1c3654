"""The benchmark of layers on GPUs as a user starts it, with and without one."""

import os
import subprocess
import unittest

from tools import xml_unittest

PROGRAM = os.path.abspath("benchmarks/micro/gpu_layers_benchmark")


def run(*arguments):
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, timeout=240)


class GpuLayersBenchmarkTest(unittest.TestCase):
    def test_shows_a_table_or_says_that_there_is_no_gpu(self):
        result = run("--benchmark_filter=Softmax/pass:forward/x:64x10/",
                     "--benchmark_repetitions=1", "--benchmark_min_time=0.001")
        if result.returncode == 0:
            self.assertIn("own/other", result.stdout)
            self.assertIn("dtype:bfloat16/device:gpu/by:cudnn", result.stdout)
            return
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("no CUDA device", result.stderr)
        self.assertEqual(result.stdout, "")

    def test_help_shows_the_options(self):
        result = run("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("--benchmark_out", result.stdout)

    def test_a_wrong_option_is_refused(self):
        result = run("--benchmark_outt=layers.json")
        self.assertNotIn(result.returncode, (0, 2))
        self.assertIn("--benchmark_outt", result.stderr + result.stdout)


if __name__ == "__main__":
    xml_unittest.main()
