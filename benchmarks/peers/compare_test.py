"""The comparison of implementations: its runs, its ratios and its file."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from benchmarks.peers import compare, comparison, result_entries
from tools import xml_unittest

# A program that does as its arguments say: prints a result, or writes it to a file.
FAKE = """
import json, sys
speed, file = float(sys.argv[1]), sys.argv[2]
if speed == 0: sys.exit("no speed")
entry = {"name": "Train/replicas:2/global_batch_size:8", "images_per_second": speed, "trained": speed > 1}
if file == "-": print(json.dumps(entry | {"samples": [speed, speed]}))
else: json.dump({"benchmarks": [entry]}, open(file, "w"))
"""


class CompareTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.result = pathlib.Path(folder.name, "result.json")
        self.fake = pathlib.Path(folder.name, "fake.py")
        self.fake.write_text(FAKE)

    def compare(self, ours, peer, *flags):
        command = [sys.executable, "-m", compare.__name__, "training", "--only=peer"]
        command += [f"--ours={{python}} {self.fake} {ours} {{json}}", "--rounds=3"]
        command += [f"--peer=peer={{python}} {self.fake} {peer} -"]
        command += [f"--python={sys.executable}", f"--json={self.result}"]
        return subprocess.run([*command, *flags], check=False, capture_output=True, text=True)

    def commands(self, *flags):
        with unittest.mock.patch.object(sys, "argv", ["compare", *flags]):
            return compare.commands(compare.parse_arguments())

    def test_prints_the_ratio_and_writes_every_run(self):
        done = self.compare(30, 20)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"replicas:2/global_batch_size:8 +peer +30 +20 +1\.50 +1\.50 \.\. 1\.50")
        result = json.loads(self.result.read_text())
        self.assertTrue(result["context"]["complete"])
        programs = [entry["program"] for entry in result["benchmarks"]]
        ours, peer = "lockstep", "peer"
        self.assertEqual(programs, [ours, peer, peer, ours, ours, peer])
        self.assertEqual(result["ratios"][0]["ratios"], [1.5, 1.5, 1.5])

    def test_tells_the_machine(self):
        self.compare(30, 20)
        context = json.loads(self.result.read_text())["context"]
        self.assertEqual(context["cpu_model"], compare.cpu_model())
        cpuinfo = self.fake.with_name("cpuinfo")
        for text, model in (("flags: x\nmodel name\t: A CPU 2.0\nmodel name\t: B\n", "A CPU 2.0"), ("", "unknown")):
            cpuinfo.write_text(text)
            self.assertEqual(compare.cpu_model(cpuinfo), model)

    def test_the_result_goes_where_a_link_leads(self):
        link = self.result.with_name("link")
        link.symlink_to(self.result)
        done = self.compare(30, 20, f"--json={link}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(link.is_symlink())
        self.assertTrue(json.loads(self.result.read_text())["context"]["complete"])

    def test_a_place_for_no_file_is_refused_before_the_work(self):
        self.fake.write_text("raise SystemExit('this ran')")
        folder = self.result.parent
        for place in ("/dev/null", "", folder, folder / "no/such/file"):
            done = self.compare(30, 20, f"--json={place}")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("argument --json", done.stderr)
            self.assertNotIn("this ran", done.stderr)

    def test_each_workload_has_its_peers(self):
        document = self.commands("training")
        self.assertIn("keras_fit/2", document)
        flags = "--peer-flags=--batch 2"
        resnet50 = self.commands("training", "--workload=resnet50", flags)
        self.assertIn("pytorch_compiled/1", resnet50)
        for command in resnet50.values():
            self.assertRegex(command, "--workload resnet50 .*--batch 2$")

    def test_the_documents_models_have_peers_of_both_frameworks(self):
        frameworks = {"tensorflow_mirrored/1", "tensorflow_mirrored/2", "pytorch_single/1", "pytorch_ddp/2"}
        for workload in ("bert", "densenet", "ncf", "nmt"):
            peers = self.commands("training", f"--workload={workload}")
            self.assertEqual(set(peers), frameworks | {"pytorch_compiled/1"})
            small = self.commands("training", f"--workload={workload}_small")
            self.assertEqual(set(small), frameworks)
            for form, commands in ((workload, peers), (f"{workload}_small", small)):
                for name, command in commands.items():
                    self.assertIn(f" --workload {form} ", command)
                    self.assertEqual(name.endswith("/2"), "--replicas 2" in command)

    def test_model_fit_is_compared_with_keras_fit(self):
        peers = self.commands("fit")
        self.assertEqual(set(peers), {"keras_fit/1", "keras_fit/2"})
        for name, command in peers.items():
            self.assertIn(f"keras_fit --replicas {name[-1]} ", command)

    def test_pipelines_are_compared_with_both_ways_of_each_framework(self):
        peers = self.commands("pipelines")
        ways = {name for name in peers if "/" in name}
        self.assertEqual(ways, {f"{name}/{way}" for name in ("tensorflow", "pytorch") for way in ("document", "fast")})
        self.assertEqual(set(peers) - ways, {"keras", "tf_keras"})
        ours = "Pipeline/work:sleeps/elements:4/calls:autotune/order:kept/process_time/real_time"
        labels, units, _ = compare.SUITES["pipelines"]
        setting = "work:sleeps/elements:4/calls:autotune/order:kept"
        self.assertEqual(figures({"name": ours, units[0]: 2.0}, labels=labels, units=units), {setting: [2.0]})

    def test_a_program_that_fails_is_named_and_what_ran_is_kept(self):
        done = self.compare(30, 0)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no speed", done.stderr)
        result = json.loads(self.result.read_text())
        self.assertFalse(result["context"]["complete"])
        self.assertEqual(len(result["benchmarks"]), 1)

    def test_an_invalid_result_is_reported_with_the_program(self):
        for written, words in (
            ("", "not JSON"),
            ("[" * 100_000, "nested deeper"),
            ("[]", "no attribute"),
            ("{}", "name"),
            ('{"name": "x", "images_per_second": NaN}', "NaN is not JSON"),
            ('{"name": "x", "images_per_second": 1e308}', "1e308 is no figure"),
            ('{"name": "x", "images_per_second": 1%s}' % ("0" * 400), "no double holds"),
            ('{"name": "x", "images_per_second": 0}', "sample 0 is not a positive finite number"),
            ('{"name": "x", "images_per_second": "fast"}', "not supported"),
        ):
            with self.subTest(written=written[:60]):
                self.fake.write_text(f"print({written!r})")
                done = self.compare(30, 20, "--rounds=1", "--ours=")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertRegex(
                    done.stderr, f"(fake.py 20 -: what it wrote is no result: .*|InvalidResult: x: ){words}"
                )

    def test_with_keep_going_the_others_are_still_compared(self):
        once = self.fake.with_name("once.py")  # works the first time only
        once.write_text(
            "import os, sys\nif os.path.exists(__file__ + '.ran'): "
            "sys.exit('no speed')\nopen(__file__ + '.ran', 'w')" + FAKE
        )
        bad = f"--peer=bad={{python}} {once} 20 -"
        done = self.compare(30, 20, "--only=peer,bad", bad, "--keep-going")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not compared: bad", done.stderr)
        self.assertIn(" peer ", done.stdout)
        result = json.loads(self.result.read_text())
        self.assertIn("no speed", result["failures"]["bad"])
        self.assertEqual([ratio["peer"] for ratio in result["ratios"]], ["peer"])

    def test_a_gpu_has_peers_of_its_own(self):
        for workload in ("fashion_mnist_cnn", "resnet50"):
            peers = self.commands("training", "--device=gpu", f"--workload={workload}")
            self.assertEqual(set(peers), {"pytorch_single/1", "pytorch_cuda_graphs/1"})
            for command in peers.values():
                self.assertIn("--device gpu", command)

    def test_a_program_that_computed_wrongly_is_not_compared(self):
        done = self.compare(30, 1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Train/replicas:2/global_batch_size:8: trained", done.stderr)


class ScheduleTest(unittest.TestCase):
    def test_every_other_round_goes_backwards(self):
        self.assertEqual(comparison.schedule(["a", "b", "c"], 3), list("abc" + "cba" + "abc"))

    def test_each_program_runs_once_per_round_and_in_the_middle_on_average(self):
        order = comparison.schedule(["a", "b", "c", "d"], 4)
        for name in "abcd":
            places = [index for index, other in enumerate(order) if other == name]
            self.assertEqual(sum(places) / 4, (len(order) - 1) / 2)


class MedianIntervalTest(unittest.TestCase):
    def test_equal_values_leave_no_doubt(self):
        low, high = comparison.median_interval([2.0] * 7)
        self.assertAlmostEqual(low, 2.0, places=12)
        self.assertAlmostEqual(high, 2.0, places=12)

    def test_one_value_is_a_point(self):
        low, high = comparison.median_interval([3.0])
        self.assertAlmostEqual(low, 3.0, places=12)
        self.assertAlmostEqual(high, 3.0, places=12)

    def test_it_contains_the_median_and_is_within_the_values(self):
        values = [1.0, 1.5, 2.0, 4.0, 8.0]
        low, high = comparison.median_interval(values)
        self.assertTrue(1.0 - 1e-9 <= low <= 2.0 <= high <= 8.0 + 1e-9)
        self.assertLess(low, high)

    def test_one_outlier_among_many_does_not_widen_it(self):
        _, high = comparison.median_interval([2.0] * 20 + [100.0])
        self.assertAlmostEqual(high, 2.0, places=12)


class ComparisonTest(unittest.TestCase):
    def test_round_i_is_divided_by_round_i(self):
        # The machine is half as fast in round 2: both suffer, the ratio does not.
        runs = {
            "ours": [{"replicas:1": [20.0]}, {"replicas:1": [10.0]}],
            "peer": [{"replicas:1": [10.0]}, {"replicas:1": [5.0]}],
        }
        (ratio,) = comparison.compare(runs, "ours")
        self.assertEqual(ratio.ratios, [2.0, 2.0])
        self.assertEqual((ratio.ours, ratio.theirs), (15.0, 7.5))
        self.assertAlmostEqual(ratio.median, 2.0, places=12)
        self.assertEqual(ratio.of_best, 2.0)

    def test_a_run_counts_as_the_median_of_its_samples(self):
        runs = {"ours": [{"x": [1.0, 6.0, 100.0]}], "peer": [{"x": [3.0, 2.0, 1.0]}]}
        (ratio,) = comparison.compare(runs, "ours")
        self.assertEqual(ratio.ratios, [3.0])
        self.assertAlmostEqual(ratio.of_best, 100 / 3)

    def test_the_best_peer_of_a_setting_comes_first(self):
        runs = {"ours": [{"x": [6.0]}], "slow": [{"x": [1.0]}], "fast": [{"x": [3.0]}]}
        peers = [ratio.peer for ratio in comparison.compare(runs, "ours")]
        self.assertEqual(peers, ["fast", "slow"])

    def test_only_settings_that_both_have_are_compared(self):
        runs = {
            "ours": [{"replicas:1": [2.0], "replicas:2": [4.0]}],
            "one": [{"replicas:1": [1.0]}],
            "two": [{"replicas:2": [1.0], "replicas:3": [1.0]}],
        }
        found = [(r.setting, r.peer, r.median) for r in comparison.compare(runs, "ours")]
        self.assertEqual([f[:2] for f in found], [("replicas:1", "one"), ("replicas:2", "two")])
        self.assertAlmostEqual(found[1][2], 4.0)

    def test_the_table_has_a_row_for_each_ratio(self):
        runs = {"ours": [{"x": [6.0]}], "peer": [{"x": [3.0]}]}
        header, row = comparison.table(comparison.compare(runs, "ours")).splitlines()
        self.assertIn("ratio", header)
        self.assertEqual(row.split()[:2], ["x", "peer"])
        self.assertIn(" 2.00 ", row)


PEER = {
    "name": "Train/workload:w/implementation:p/replicas:2/global_batch_size:128",
    "images_per_second": 20.0,
    "samples": [10.0, 20.0, 30.0],
    "trained": True,
}
OURS = {
    "name": "Train/workload:w/replicas:2/global_batch_size:128/device:cpu",
    "run_type": "iteration",
    "items_per_second": 7.0,
    "images_per_second": 7.0,
    "samples": {"steps_per_block": 25, "images_per_second": [6.0, 7.0]},
    "checks": {"copies_bitwise_equal": True},
}


def figures(*entries, labels=("replicas",), units=("images_per_second",)):
    return result_entries.samples_by_setting(entries, labels, units)


class FiguresTest(unittest.TestCase):
    def test_ours_and_the_peers_meet_at_the_same_setting(self):
        self.assertEqual(figures(PEER), {"replicas:2": [10.0, 20.0, 30.0]})
        self.assertEqual(figures(OURS), {"replicas:2": [6.0, 7.0]})

    def test_a_label_that_no_program_has_is_left_out(self):
        both = ("replicas", "precision")
        self.assertEqual(set(figures(OURS, labels=both)), {"replicas:2"})
        narrow = OURS | {"name": "Train/replicas:2/precision:mixed_bfloat16"}
        self.assertEqual(set(figures(narrow, labels=both)), {"replicas:2/precision:mixed_bfloat16"})

    def test_without_samples_the_figure_is_the_only_one(self):
        self.assertEqual(figures(OURS | {"samples": {}}), {"replicas:2": [7.0]})

    def test_repetitions_are_samples_and_aggregates_are_left_out(self):
        run = {"name": "AllReduce/bytes:4096", "bytes_per_second": 1.0}
        mean = run | {"run_type": "aggregate", "bytes_per_second": 9.0}
        again = run | {"bytes_per_second": 2.0}
        found = figures(run, again, mean, labels=["bytes"], units=["bytes_per_second"])
        self.assertEqual(found, {"bytes:4096": [1.0, 2.0]})

    def test_the_run_name_is_without_the_repetition(self):
        entry = {"name": "A/bytes:1/repeats:3", "run_name": "A/bytes:1", "x": 5.0}
        self.assertEqual(figures(entry, labels=["bytes"], units=["x"]), {"bytes:1": [5.0]})

    def test_the_first_unit_that_an_entry_has_counts(self):
        entry = {"name": "A", "replicas": 1, "b": 2.0, "c": 3.0}
        self.assertEqual(figures(entry, units=["a", "b", "c"]), {"replicas:1": [2.0]})

    def test_an_entry_without_the_unit_is_left_out(self):
        self.assertEqual(figures({"name": "A/replicas:1", "bytes": 1}), {})


class CheckTest(unittest.TestCase):
    def test_what_was_computed_wrongly_is_not_compared(self):
        for wrong in (
            PEER | {"trained": False},
            OURS | {"checks": {"copies_bitwise_equal": False}},
            {"name": "AllReduce/bytes:4", "right": False},
            {"name": "A", "error_occurred": True, "error_message": "no device"},
        ):
            with self.assertRaises(result_entries.InvalidResult):
                figures(wrong)

    def test_an_interrupted_run_of_ours_is_refused(self):
        text = json.dumps({"context": {"complete": False}, "benchmarks": [OURS]})
        with self.assertRaisesRegex(result_entries.InvalidResult, "interrupted"):
            result_entries.our_entries(text)


class EntriesTest(unittest.TestCase):
    def test_a_peer_may_chat_before_its_last_line(self):
        text = "hello\n" + json.dumps(PEER) + "\n"
        self.assertEqual(result_entries.peer_entries(text), [PEER])

    def test_a_peer_may_report_several_entries(self):
        text = json.dumps({"versions": {}, "benchmarks": [PEER, OURS]})
        self.assertEqual(result_entries.peer_entries(text), [PEER, OURS])

    def test_ours_are_those_of_the_result_file(self):
        text = json.dumps({"context": {}, "benchmarks": [OURS]})
        self.assertEqual(result_entries.our_entries(text), [OURS])


if __name__ == "__main__":
    xml_unittest.main()
