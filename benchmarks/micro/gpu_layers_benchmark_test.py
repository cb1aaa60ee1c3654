"""The benchmark of layers on GPUs."""

from benchmarks.micro.benchmark_program import BenchmarkProgramTest
from tools import xml_unittest


class GpuLayersBenchmarkTest(BenchmarkProgramTest):
    PROGRAM = "benchmarks/micro/gpu_layers_benchmark"

    def test_shows_a_table_or_says_that_there_is_no_gpu(self):
        result = self.run_program(
            "--benchmark_filter=Softmax/pass:forward/x:64x10/",
            "--benchmark_repetitions=1",
            "--benchmark_min_time=0.001",
        )
        if self.ran_on_a_gpu(result):
            self.assertIn("own/other", result.stdout)
            self.assertIn("dtype:bfloat16/device:gpu/by:cudnn", result.stdout)

    def test_help_shows_the_options(self):
        self.check_help("--benchmark_out")

    def test_a_wrong_option_is_refused(self):
        self.check_refused("--benchmark_outt=layers.json")


if __name__ == "__main__":
    xml_unittest.main()
