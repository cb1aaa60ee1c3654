"""The all-reduce benchmark for GPUs."""

from benchmarks.micro.benchmark_program import BenchmarkProgramTest
from tools import xml_unittest


class GpuAllReduceBenchmarkTest(BenchmarkProgramTest):
    PROGRAM = "benchmarks/micro/gpu_all_reduce_benchmark"

    def test_shows_a_table_or_says_that_there_is_no_gpu(self):
        result = self.run_program("--max_bytes=4096", "--iterations=2", "--repetitions=1")
        if self.ran_on_a_gpu(result):
            self.assertIn("algbw", result.stdout)

    def test_help_shows_the_options(self):
        self.check_help("--replicas", "--algorithms", "--dtype", "--max_bytes")

    def test_a_wrong_option_is_refused(self):
        self.check_refused("--dtype=float8")


if __name__ == "__main__":
    xml_unittest.main()
