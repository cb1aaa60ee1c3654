"""What becomes of a run: its plan of time, its verdicts and its summary."""

import json
import os
import unittest

from tools import xml_unittest
from tools.gpu_check import summary, verdicts
from tools.gpu_check.run_results import RunResults
from tools.gpu_check.time_plan import TimePlan

GAVE = {
    "commit": "abc",
    "machine": {"gpus": ["A GPU, 1.0"]},
    "results": [
        {"name": "good", "result": "passed", "seconds": 1.25, "cases": 3, "failed_cases": 0, "skipped_cases": 0},
        {"name": "bad", "result": "failed", "seconds": 2, "why": "out | of memory"},
        {"name": "fine", "result": "passed", "seconds": 0},
    ],
    "verdicts": [
        {"name": "overhead", "wanted": "under 1 %", "got": "0.4 %", "verdict": "met", "file": "a.json"},
        {"name": "tests", "wanted": "all", "got": "bad: failed", "verdict": "not met", "file": "b.json"},
    ],
}


class SummaryTest(unittest.TestCase):
    def test_the_page_begins_with_the_verdicts(self):
        lines = summary.text(GAVE).splitlines()
        self.assertEqual(
            lines[:8],
            [
                "# GPU check of abc",
                "",
                "Promises for GPUs: 1 met, 1 not met.",
                "",
                "| verdict | wanted | got | file |",
                "|---|---|---|---|",
                "| **met** | under 1 % | 0.4 % | a.json |",
                "| **not met** | all | bad: failed | b.json |",
            ],
        )
        self.assertIn("- A GPU, 1.0", lines)
        self.assertEqual(
            lines[-3:],
            [
                "| good | passed | 1.2 | 3 | 0 | 0 |  |",
                "| bad | failed | 2.0 |  |  |  | out \\| of memory |",
                "| fine | passed | 0.0 |  |  |  |  |",
            ],
        )

    def test_a_run_that_did_not_begin_says_so_first(self):
        lines = summary.text(dict(GAVE, refused="there is no GPU")).splitlines()
        self.assertEqual(lines[2], "**Nothing was run**: there is no GPU")

    def test_the_end_of_a_run_tells_the_verdicts(self):
        self.assertEqual(
            summary.totals(GAVE).splitlines(),
            [
                "",
                "met           under 1 %",
                "              0.4 %",
                "not met       all",
                "              bad: failed",
                "",
                "promises: 1 met, 1 not met",
                "programs: 2 passed, 1 failed",
            ],
        )
        self.assertEqual(summary.totals(dict(GAVE, results=[])).splitlines()[-1], "programs: nothing was run")

    def test_a_run_begins_with_what_it_runs_on(self):
        gave = dict(GAVE, driver="/usr/lib/driver", gpus=1, libraries={"libx.so.2": "/b", "liba.so.1": "/a"})
        self.assertEqual(
            summary.machine_text(gave, "| A GPU |").splitlines(),
            [
                "commit abc, 1 GPUs",
                "driver in /usr/lib/driver",
                "libraries:",
                "  liba.so.1 in /a",
                "  libx.so.2 in /b",
                "| A GPU |",
            ],
        )

    def test_both_files_are_written(self):
        summary.write(os.environ["TEST_TMPDIR"], GAVE)
        with open(os.path.join(os.environ["TEST_TMPDIR"], "summary.json"), encoding="utf-8") as stream:
            self.assertEqual(json.load(stream), GAVE)
        with open(os.path.join(os.environ["TEST_TMPDIR"], "summary.md"), encoding="utf-8") as stream:
            self.assertEqual(stream.read(), summary.text(GAVE))


SANITIZER = ["compute-sanitizer", "--tool=memcheck"]
TESTS = ["a_gpu_test", "b_gpu_test"]
MANIFEST = {
    "programs": [{"name": name, "test": True} for name in TESTS]
    + [
        {"name": name}
        for name in (
            "conformance",
            "accuracy_fashion_mnist_cnn",
            "scaling_fashion_mnist_cnn",
            "peers_fashion_mnist_cnn",
            "peers_resnet50",
        )
    ]
    + [{"name": name, "tool": SANITIZER} for name in ("memcheck_a", "racecheck_a")]
}
NAMES = [program["name"] for program in MANIFEST["programs"]]


def epoch(number, percent):
    return {"epoch_num": number, "eval_accuracy": percent}


def peers(eager, compiled):
    return {
        "context": {"complete": True},
        "failures": {},
        "ratios": [
            {"peer": "pytorch_single/1", "median": eager, "ratios": [eager - 0.5, eager + 0.5]},
            {"peer": "pytorch_cuda_graphs/1", "median": compiled, "ratios": [compiled]},
        ],
    }


class VerdictsTest(unittest.TestCase):
    """Over files of a run in which everything is just good enough, changed by each test."""

    def setUp(self):
        self.folder = os.path.join(os.environ["TEST_TMPDIR"], self.id())
        os.makedirs(self.folder)
        self.results = {name: {"name": name, "result": "passed"} for name in NAMES}
        self.one = {
            "name": "Train/workload:x/device:gpu",
            "replicas": 1,
            "strategy": "mirrored",
            "strategy_overhead": 0.0099,
            "library_calls": {"calls": 7, "milliseconds": 0.31, "step_over_library": 1.1},
        }
        self.accuracy = {
            "context": {"complete": True, "data": {"source": "full"}},
            "benchmarks": [
                {
                    "name": "Train/workload:x/device:gpu",
                    "replicas": 1,
                    "epochs": [epoch(9, 91.5), epoch(10, 90.19999999999999)],
                }
            ],
        }
        self.conformance = {
            "complete": True,
            "testee": {"name": "reference_gpu"},
            "options": {"filter": "*"},
            "cases": [{"id": "a/b/c", "verdict": "passed"}, {"id": "a/b/d", "verdict": "passed"}],
        }
        self.scaling = {
            "context": {"complete": True},
            "benchmarks": [{"replicas": 1, "strategy": "none"}, self.one, {"replicas": 2, "strategy": "mirrored"}],
        }
        self.cnn, self.resnet50 = peers(2.0, 1.2), peers(1.0, 1.0)

    def judge(self):
        """Line -> (verdict, what was got)."""
        for name, content in (
            ("conformance", self.conformance),
            ("accuracy_fashion_mnist_cnn", self.accuracy),
            ("scaling_fashion_mnist_cnn", self.scaling),
            ("peers_fashion_mnist_cnn", self.cnn),
            ("peers_resnet50", self.resnet50),
        ):
            if content is not None:
                with open(os.path.join(self.folder, name + ".json"), "w", encoding="utf-8") as stream:
                    stream.write(content if isinstance(content, str) else json.dumps(content))
        lines = verdicts.of_run(RunResults(self.folder, MANIFEST, self.results.values()))
        return {line["name"]: (line["verdict"], line["got"]) for line in lines}

    def ends(self, name, result, why):
        self.results[name].update(result=result, why=why)

    def test_what_is_just_good_enough_is_met(self):
        self.assertEqual(
            self.judge(),
            {
                "conformance": ("met", "2 of 2 passed"),
                "gpu_tests": ("met", "2 of 2 passed"),
                "accuracy": ("met", "90.20 %"),
                "step_over_library": ("met", "1.100 x of 0.31 ms in 7 calls"),
                "cnn_over_eager": ("met", "2.000 x (1.500 to 2.500 in 2 rounds)"),
                "cnn_over_compile": ("met", "1.200 x (1.200 to 1.200 in 1 rounds)"),
                "resnet50_over_eager": ("met", "1.000 x (0.500 to 1.500 in 2 rounds)"),
                "resnet50_over_compile": ("met", "1.000 x (1.000 to 1.000 in 1 rounds)"),
                "strategy_overhead": ("met", "0.990 %"),
                "compute_sanitizer": ("met", "2 of 2 passed"),
            },
        )

    def test_what_is_just_not_good_enough_is_not_met(self):
        self.accuracy["benchmarks"][0]["epochs"][1]["eval_accuracy"] = 90.19
        self.one["library_calls"]["step_over_library"] = 1.101
        self.one["strategy_overhead"] = 0.01
        self.cnn, self.resnet50 = peers(1.999, 1.199), peers(0.999, 0.999)
        self.conformance["cases"] += [{"id": "a/b/%d" % i, "verdict": "timed_out"} for i in range(5)]
        self.ends("b_gpu_test", "failed", "wrong bits")
        self.ends("racecheck_a", "failed", "1 hazard")
        got = self.judge()
        self.assertEqual({verdict for verdict, _ in got.values()}, {"not met"})
        self.assertEqual(got["accuracy"][1], "90.19 %")
        self.assertEqual(got["gpu_tests"][1], "1 of 2 passed; b_gpu_test: failed (wrong bits)")
        self.assertEqual(
            got["conformance"][1], "2 of 7 passed; a/b/0: timed_out; a/b/1: timed_out; a/b/2: timed_out; 2 more"
        )

    def test_a_line_says_what_is_required_and_where_it_was_read(self):
        self.judge()
        line = verdicts.of_run(RunResults(self.folder, MANIFEST, self.results.values()))[4]
        self.assertEqual(line["wanted"], "Fashion-MNIST CNN: at least 2 x PyTorch eager's images/s")
        self.assertEqual(line["file"], "peers_fashion_mnist_cnn.json")

    def test_a_run_without_results_measures_nothing(self):
        self.judge()  # the files are there, of another run
        self.results = {}
        got = self.judge()
        self.assertEqual({verdict for verdict, _ in got.values()}, {"not measured"})
        self.assertEqual(got["accuracy"][1], "accuracy_fashion_mnist_cnn: not run")
        self.assertIn("racecheck_a: not run", got["compute_sanitizer"][1])

    def test_what_was_left_out_or_failed_measures_nothing_and_says_why(self):
        self.ends("accuracy_fashion_mnist_cnn", "left out", "no data")
        self.ends("scaling_fashion_mnist_cnn", "timed out", "epoch 1")
        self.ends("peers_resnet50", "not run", "there was no time left")
        got = self.judge()
        self.assertEqual(got["accuracy"], ("not measured", "accuracy_fashion_mnist_cnn: left out (no data)"))
        self.assertEqual(got["strategy_overhead"], ("not measured", "scaling_fashion_mnist_cnn: timed out (epoch 1)"))
        self.assertEqual(got["resnet50_over_eager"][0], "not measured")

    def test_a_file_that_is_missing_broken_or_interrupted_measures_nothing(self):
        self.accuracy, self.scaling, self.resnet50 = None, '{"context": ', "[]"
        self.cnn["context"]["complete"] = False
        self.conformance["complete"] = False
        got = self.judge()
        self.assertEqual(got["accuracy"], ("not measured", "it wrote no file; accuracy_fashion_mnist_cnn: passed"))
        self.assertIn("the file is not whole", got["step_over_library"][1])
        self.assertIn("the file is not as expected: TypeError", got["resnet50_over_eager"][1])
        self.assertEqual(got["cnn_over_eager"], ("not measured", "it did not end; peers_fashion_mnist_cnn: passed"))
        self.assertEqual({verdict for verdict, _ in got.values()}, {"met", "not measured"})
        self.assertEqual(got["conformance"][0], "not measured")

    def test_numbers_that_are_none_are_not_measured(self):
        text = json.dumps(self.scaling)
        for content, words in (
            (text.replace("1.1", "NaN"), "its step_over_library is nan"),
            (text.replace("1.1", "1" + "0" * 400), "the file is refused: no double holds"),
            ("[" * 100_000, "the file is refused: nested deeper"),
        ):
            self.scaling = content
            verdict, got = self.judge()["step_over_library"]
            self.assertEqual(verdict, "not measured")
            self.assertIn(words, got)

    def test_a_figure_that_is_not_there_is_not_measured(self):
        del self.one["strategy_overhead"]
        self.one["library_calls"]["step_over_library"] = None
        self.cnn["ratios"][0]["median"] = True
        got = self.judge()
        self.assertEqual(got["strategy_overhead"], ("not measured", "it has no strategy_overhead"))
        self.assertEqual(got["step_over_library"], ("not measured", "it has no step_over_library"))
        self.assertEqual(got["cnn_over_eager"], ("not measured", "it has no median"))
        del self.one["library_calls"]
        self.assertEqual(self.judge()["step_over_library"][0], "not measured")
        self.scaling["benchmarks"].remove(self.one)
        self.assertEqual(
            self.judge()["strategy_overhead"],
            ("not measured", "it has 0 entries of replicas 1, strategy mirrored, wanted one"),
        )

    def test_accuracy_counts_on_the_full_data_and_after_ten_epochs_only(self):
        self.accuracy["context"]["data"]["source"] = "embedded"
        self.assertEqual(self.judge()["accuracy"], ("not measured", "it trained on the embedded data"))
        self.accuracy["context"]["data"]["source"] = "full"
        self.accuracy["benchmarks"][0]["epochs"].pop()
        self.assertEqual(self.judge()["accuracy"], ("not measured", "it has 0 entries of epoch_num 10, wanted one"))

    def test_what_ran_on_a_cpu_shows_nothing_of_gpus(self):
        self.accuracy["benchmarks"][0]["name"] = self.one["name"] = "Train/workload:x/device:cpu"
        self.conformance["testee"]["name"] = "reference"
        got = self.judge()
        expected = ("not measured", "it did not train on a GPU: Train/workload:x/device:cpu")
        for line in ("accuracy", "step_over_library", "strategy_overhead"):
            self.assertEqual(got[line], expected)
        self.assertEqual(got["conformance"], ("not measured", "the cases were run against reference"))

    def test_a_peer_that_failed_leaves_the_other_its_verdict(self):
        self.cnn["ratios"].pop()
        self.cnn["failures"] = {"pytorch_cuda_graphs/1": "python3 x.py: exit 1\nno compiler\n"}
        self.ends("peers_fashion_mnist_cnn", "failed", "failed and not compared")
        got = self.judge()
        self.assertEqual(got["cnn_over_eager"][0], "met")
        self.assertEqual(got["cnn_over_compile"], ("not measured", "pytorch_cuda_graphs/1 failed: no compiler"))

    def test_conformance_that_failed_is_not_met_and_a_part_of_it_not_measured(self):
        self.ends("conformance", "failed", "crashed at its end")
        self.assertEqual(
            self.judge()["conformance"], ("not met", "2 of 2 passed; conformance: failed (crashed at its end)")
        )
        self.conformance["cases"] = []
        self.ends("conformance", "passed", None)
        self.assertEqual(self.judge()["conformance"], ("not met", "0 of 0 passed"))
        self.conformance["options"]["filter"] = "input/*"
        self.assertEqual(self.judge()["conformance"][0], "not measured")

    def test_tests_that_did_not_run_are_no_failure_and_no_success(self):
        self.ends("b_gpu_test", "not run", "there was no time left")
        self.assertEqual(
            self.judge()["gpu_tests"], ("not measured", "1 of 2 passed; b_gpu_test: not run (there was no time left)")
        )
        self.ends("a_gpu_test", "not run", None)
        self.ends("b_gpu_test", "skipped", "1 cases were skipped")
        self.assertEqual(
            self.judge()["gpu_tests"],
            ("not met", "0 of 2 passed; b_gpu_test: skipped (1 cases were skipped); a_gpu_test: not run"),
        )

    def test_a_test_for_more_gpus_than_there_are_is_reported_and_not_judged(self):
        several = {"name": "several_gpu_test", "test": True, "gpus": 2}
        manifest = {"programs": [*MANIFEST["programs"], several]}
        results = [*self.results.values(), {"name": "several_gpu_test", "result": "not applicable"}]
        line = verdicts.of_run(RunResults(self.folder, manifest, results, gpus=1))[1]
        self.assertEqual((line["verdict"], line["got"]), ("met", "2 of 2 passed; several_gpu_test: not applicable"))
        line = verdicts.of_run(RunResults(self.folder, manifest, self.results.values(), gpus=2))[1]
        self.assertEqual((line["verdict"], line["got"]), ("not measured", "2 of 3 passed; several_gpu_test: not run"))

    def test_a_sanitizer_that_did_not_end_finds_nothing_and_proves_nothing(self):
        self.ends("racecheck_a", "timed out", "Reductions")
        self.assertEqual(self.judge()["compute_sanitizer"][0], "not measured")
        self.ends("memcheck_a", "failed", "1 error")
        self.assertEqual(self.judge()["compute_sanitizer"][0], "not met")


class TimePlanTest(unittest.TestCase):
    def setUp(self):
        self.now = 1000.0

    def plan(self, *arguments):
        return TimePlan(*arguments, clock=lambda: self.now)

    def test_each_has_its_own_seconds_whatever_those_before_it_took(self):
        plan = self.plan()
        self.assertEqual(plan.limit(40), 40)
        self.now += 1000
        self.assertEqual(plan.limit(20), 20)

    def test_all_seconds_are_stretched_but_not_the_deadline(self):
        plan = self.plan(100, 3)
        self.assertEqual(plan.limit(20), 60)
        self.assertEqual(plan.limit(40), 100)

    def test_no_program_has_more_than_the_deadline(self):
        plan = self.plan(100)
        self.now += 90
        self.assertEqual(plan.limit(20), 10)
        self.now += 11
        self.assertLess(plan.limit(20), 0)


if __name__ == "__main__":
    xml_unittest.main()
