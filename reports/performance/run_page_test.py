"""The page of one run and its plots."""

import contextlib
import functools
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from reports.json_file import ReportError
from reports.performance import performance, run_page, run_plots
from tools import xml_unittest

RESULT = {
    "context": {
        "date": "2026-01-02T03:04:05+00:00",
        "workload": "fashion_mnist_cnn",
        "complete": True,
        "data": {"name": "fashion_mnist", "source": "full", "train_examples": 60000, "test_examples": 10000},
        "cpu_model": "A <fast> CPU",
        "memory_bytes": 16 * 2**30,
        "caches": [{"level": 2, "size": 1048576, "num_sharing": 1}],
        "load_avg": [0.123456],
        "commit_has_changes": False,
    },
    "benchmarks": [
        {
            "name": f"Train/workload:fashion_mnist_cnn/replicas:{replicas}",
            "replicas": replicas,
            "threads_per_replica": 2 // replicas,
            "global_batch_size": 64 * replicas,
            "items_per_second": 8000.0 * replicas,
            "efficiency": 1.0,
            "breakdown_ms": {"forward": 3.25},
            "samples": {"items_per_second": [7000.0, 8000.0, 9000.0]},
            "epochs": [{"epoch_num": 1, "loss": 0.5106, "accuracy": 81.8, "test_loss": 0.39, "eval_accuracy": 85.79}],
        }
        for replicas in (1, 2)
    ],
}


def page(benchmarks=RESULT["benchmarks"], **context):
    result = {"context": {**RESULT["context"], **context}, "benchmarks": benchmarks}
    return run_page.build_page(result, "out/scaling.json")


@functools.cache
def whole():
    """The page of RESULT: drawing takes its time."""
    return page()


class RunPageTest(unittest.TestCase):
    def test_shows_the_figures_of_the_result(self):
        text = whole()
        for word in [
            "8,000 images/s",
            "16,000 images/s",
            "2.000",
            "3.25",
            "85.79",
            "0.5106",
            "60,000",
            "7,500 to 8,500",
            "scaling.json",
        ]:
            self.assertIn(word, text)
        self.assertNotIn("Incomplete", text)
        self.assertNotIn("strategy", text)
        self.assertNotIn("GPU memory", text)

    def test_tells_what_a_strategy_and_its_libraries_cost(self):
        one = {
            **RESULT["benchmarks"][0],
            "strategy": "mirrored",
            "strategy_overhead": 0.0125,
            "library_calls": {"calls": 7, "milliseconds": 0.3125, "step_over_library": 1.28},
        }
        none = {**RESULT["benchmarks"][0], "name": "Train/b", "strategy": "none"}
        text = " ".join(page(benchmarks=[one, none]).split())
        for words in [
            "no strategy",
            "1* &times; 2",
            "* without a strategy",
            "a step takes 1.25 % more time under the strategy",
            "a step takes 1.28 times what its 7 calls of cuDNN and cuBLASLt take alone, 0.312 ms",
        ]:
            self.assertIn(words, text)
        less = page(benchmarks=[{**one, "strategy_overhead": -0.002}, none])
        self.assertIn("0.20 % less", " ".join(less.split()))

    def test_shows_the_memory_of_gpus_where_a_result_has_it(self):
        first, second = RESULT["benchmarks"]
        memory = {"bytes_in_use": 3 * 2**20, "peak_bytes": 5000 * 2**20}
        text = run_page.build_page(
            {**RESULT, "benchmarks": [first, {**second, "device_memory": memory}]}, "out/scaling.json"
        )
        self.assertIn("GPU memory, MiB", text)
        self.assertIn("<td>3</td><td>5,000</td>", text)
        self.assertIn("<td></td><td></td>", text)

    def test_several_workers_are_shown_with_their_cost(self):
        one, two = RESULT["benchmarks"]
        workers = {
            **one,
            "name": "Train/workload:fashion_mnist_cnn/workers:2/replicas:1",
            "workers": 2,
            "communication_ms": 0.75,
            "communication_share": 0.125,
            "over_one_worker": 0.9375,
        }
        text = " ".join(page(benchmarks=[workers, two]).split())
        for words in [
            "workers&nbsp;&times; replicas&nbsp;&times; threads",
            ">2 &times; 1 &times; 2<",
            ">1 &times; 2 &times; 1<",
            "2 workers × 1 replica &times;",
            "2 workers × 1 replica: summing the gradients takes 12.5 % of a step once the last replica has "
            "come, 0.750 ms.",
            "2 workers × 1 replica: 0.938 times the images/s of one process with 2 replicas.",
        ]:
            self.assertIn(words, text)
        self.assertLess(text.index(">1 &times; 2 &times; 1<"), text.index(">2 &times; 1 &times; 2<"))
        self.assertNotIn("workers", whole())

    def test_needs_nothing_from_outside(self):
        text = whole()
        for word in ["<script src", "<link", "@import", "<img"]:
            self.assertNotIn(word, text)

    def test_escapes_what_the_machine_says_of_itself(self):
        self.assertIn("A &lt;fast&gt; CPU", whole())

    def test_tells_the_machine_in_words(self):
        for word in ["16.0 GiB", "L2 1024 KiB shared by 1 CPU", "0.12346", "no", "name: fashion_mnist; source: full"]:
            self.assertIn(word, whole())

    def test_marks_an_interrupted_run(self):
        self.assertIn("Incomplete", page(complete=False))

    def test_a_run_that_was_stopped_in_its_warm_up_has_a_page(self):
        nothing = {
            "items_per_second": 0,
            "samples": {"items_per_second": []},
            "breakdown_ms": {},
            "epochs": [],
            "efficiency": None,
        }
        first, second = ({**entry, **nothing} for entry in RESULT["benchmarks"])
        for benchmarks in ([first, second], [first, RESULT["benchmarks"][1]]):
            text = page(benchmarks=benchmarks, complete=False)
            self.assertIn("not measured", text)
            self.assertIn("still in its warm-up", " ".join(text.split()))
            self.assertNotIn("0 to 0", text)
        self.assertIn("16,000 images/s", text)
        self.assertIn("Throughput over time", text)
        self.assertNotIn("<svg", page(benchmarks=[first, second]))  # no empty plots
        self.assertNotIn("warm-up, or", page(complete=False))

    def test_reads_standard_input_and_writes_standard_output(self):
        done = subprocess.run(
            [sys.executable, "-m", performance.__name__, "--result=-", "--html=-", "--name=a.json"],
            input=json.dumps(RESULT),
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertIn("8,000 images/s", done.stdout)
        self.assertIn("a.json", done.stdout)

    def test_says_when_the_data_is_not_the_full_set(self):
        data = {**RESULT["context"]["data"], "source": "embedded"}
        self.assertIn("not comparable", page(data=data))

    def test_sequences_have_a_rate_and_a_quality_of_their_own(self):
        kind = {"item": "pair", "quality": {"name": "bleu", "label": "BLEU", "unit": ""}}
        epochs = [{"epoch_num": 1, "loss": 2.0, "test_loss": 2.5, "eval_bleu": 21.5}]
        text = page([{**RESULT["benchmarks"][0], **kind, "epochs": epochs}])
        for words in ("8,000 pairs/s", "21.50 test BLEU", "10,000 test pairs"):
            self.assertIn(words, text)
        self.assertNotIn("accuracy", text)
        self.assertNotIn("images/s", text)

    def test_refuses_a_result_without_training(self):
        with self.assertRaisesRegex(ReportError, "x.json has no entry named Train/"):
            run_page.build_page({"context": {}, "benchmarks": []}, "x.json")

    def test_names_the_missing_fields_of_the_context(self):
        context = {**RESULT["context"], "data": {"name": "d"}}
        del context["workload"]
        with self.assertRaisesRegex(ReportError, "x.json: context has no workload, data.source, data.train_examples"):
            run_page.build_page({**RESULT, "context": context}, "x.json")
        del context["data"]
        with self.assertRaisesRegex(ReportError, "has no workload, data$"):
            run_page.build_page({**RESULT, "context": context}, "x.json")

    def test_main_writes_the_page_or_says_what_is_wrong(self):
        folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        result = os.path.join(folder, "r.json")
        html = os.path.join(folder, "r.html")
        complaint = io.StringIO()
        with contextlib.redirect_stderr(complaint):
            self.assertEqual(performance.main([f"--result={result}", f"--html={html}"]), 1)
        self.assertIn(result, complaint.getvalue())
        with open(result, "w", encoding="utf-8") as file:
            json.dump(RESULT, file)
        self.assertEqual(performance.main([f"--result={result}", f"--html={html}"]), 0)
        with open(html, encoding="utf-8") as file:
            self.assertIn("<svg", file.read())


def entry(replicas, blocks=(900.0, 1000.0, 1100.0)):
    return {
        "replicas": replicas,
        "items_per_second": 1000.0,
        "breakdown_ms": {"forward": 3.0, "backward": 6.0, "reduce": 0.5},
        "samples": {"items_per_second": list(blocks)},
        "epochs": [
            {"epoch_num": 1, "loss": 0.5, "eval_accuracy": 85.0},
            {"epoch_num": 2, "loss": 0.3, "eval_accuracy": 88.0},
        ],
    }


class PlotsTest(unittest.TestCase):
    def test_each_plot_is_a_whole_svg_that_names_its_parts(self):
        entries = [entry(1), entry(2)]
        for svg, words in [
            (run_plots.throughput(entries), ["1 replica", "2 replicas", "images/s"]),
            (run_plots.breakdown(entries), ["exposed reduce", "backward", "2 replicas"]),
            (run_plots.epoch_curve(entries, [("loss", "training")], "loss"), ["2 replicas, training", "epoch"]),
            (run_plots.over_time(entries), ["block", "images/s"]),
        ]:
            self.assertTrue(xml.etree.ElementTree.fromstring(svg).tag.endswith("svg"))
            for word in words:
                self.assertIn(word, svg)

    def test_the_same_data_gives_the_same_picture(self):
        self.assertEqual(run_plots.throughput([entry(1)]), run_plots.throughput([entry(1)]))

    def test_an_entry_without_blocks_has_a_bar(self):
        self.assertIn("1 replica", run_plots.throughput([entry(1, blocks=())]))


if __name__ == "__main__":
    xml_unittest.main()
