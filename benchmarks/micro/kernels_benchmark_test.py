"""The benchmark of our kernels and oneDNN's."""

from benchmarks.micro.benchmark_program import BenchmarkProgramTest
from tools import xml_unittest


class KernelsBenchmarkTest(BenchmarkProgramTest):
    PROGRAM = "benchmarks/micro/kernels_benchmark"

    def test_a_line_has_both_times_and_the_gain(self):
        result = self.run_program(
            "--benchmark_filter=^(Relu/x:64x64|Adam)", "--benchmark_repetitions=2", "--benchmark_min_time=0.001"
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        head, relu, adam = result.stdout.splitlines()
        self.assertEqual(head, "# own (us)  oneDNN (us)   gain  kernel")
        own, onednn, gain, name = relu.split()
        self.assertEqual(name, "Relu/x:64x64")
        self.assertGreater(min(float(own), float(onednn), float(gain)), 0)
        self.assertRegex(adam, r"^ +\d+\.\d\d +- +-  Adam/x:121930$")

    def test_help_shows_the_options(self):
        self.check_help("--benchmark_out")

    def test_a_wrong_option_is_refused(self):
        self.check_refused("--benchmark_outt=kernels.json")

    def test_a_filter_that_leaves_nothing_fails(self):
        self.assertEqual(self.run_program("--benchmark_filter=Nothing").returncode, 1)


if __name__ == "__main__":
    xml_unittest.main()
