"""Reading many results: what they measured, and what is wrong with them."""

import os
import unittest

from reports.json_file import ReportError
from reports.performance import result_set
from reports.performance.result_testing import (
    CACHES,
    all_reduce,
    folder,
    load,
    peer_training,
    result,
    rounds,
    training,
    write,
)
from tools import xml_unittest


class SeriesTest(unittest.TestCase):
    def test_samples_of_ours_and_of_peers(self):
        ours, peer = load(
            result(training(samples=(1.0, 2.0, 4.0), round=1), peer_training("p", samples=(3.0, 5.0), round=1))
        ).series
        self.assertEqual((ours.program, ours.is_ours, ours.rounds), ("lockstep", True, {1: [1.0, 2.0, 4.0]}))
        self.assertEqual((peer.program, peer.is_ours, peer.rounds), ("p/1", False, {1: [3.0, 5.0]}))
        self.assertEqual(ours.spread(), (1.5, 2.0, 3.0))

    def test_figures_are_the_medians_of_several_rounds(self):
        [ours] = load(result(*rounds(training, (1.0, 9.0)), training(samples=(2.0, 4.0, 100.0), round=3))).series
        self.assertEqual(ours.figures(), [1.0, 9.0, 4.0])

    def test_repetitions_are_samples_and_aggregates_of_them_are_left_out(self):
        mean = {**all_reduce(4096, 8.0), "name": "AllReduce/x_mean", "run_type": "aggregate", "aggregate_name": "mean"}
        median = {**mean, "aggregate_name": "median"}
        [series] = load(result(all_reduce(4096, 1e9), all_reduce(4096, 3e9, repetition_index=1), mean, median)).series
        self.assertEqual((series.rounds, series.unit.field, series.unit.text), ({None: [1e9, 3e9]}, "algbw", "GB/s"))

    def test_the_median_of_what_has_aggregates_only(self):
        gpu = {
            "name": "AllReduce/algorithm:a/bytes:4000/replicas:2",
            "run_type": "aggregate",
            "real_time": 2.0,
            "aggregate_name": "median",
            "time_unit": "us",
            "algbw": 2e9,
            "wrong": 0,
            "samples_us": [1.0, 2.0, 4.0],
        }
        results = load(result(gpu, {**gpu, "name": "B", "aggregate_name": "mean"}))
        self.assertEqual(results.series[0].spread()[1], 2e9)
        self.assertEqual(len(results.series[0].figures()), 3)
        self.assertEqual(results.notes, [("1", "B: aggregates without a median; not shown")])

    def test_times_are_in_seconds_and_less_is_better(self):
        [series] = load(result({"name": "Layer/by:own", "real_time": 3.0, "time_unit": "ms"})).series
        self.assertEqual(
            (series.rounds, series.unit.more_is_better, series.unit.show(series.spread()[1])),
            ({None: [0.003]}, False, "3,000"),
        )

    def test_kernels_are_next_to_their_peer(self):
        entry = {
            "name": "Relu/bytes:4",
            "real_time": 9.0,
            "time_unit": "us",
            "own_us": 2.0,
            "onednn_us": 6.0,
            "gain": 3.5,
            "repetition_index": 4,
        }
        ours, peer = load(result(entry)).series
        self.assertEqual((ours.program, ours.rounds, ours.turns), ("lockstep", {4: [2e-6]}, {4: [3.5]}))
        self.assertEqual((peer.program, peer.rounds), ("onednn", {4: [6e-6]}))

    def test_programs_by_their_labels(self):
        series = load(
            result(
                {"name": "L/by:own", "real_time": 1},
                {"name": "L/by:cudnn", "real_time": 1},
                {"name": "L/implementation:x", "real_time": 1},
            )
        ).series
        self.assertEqual([one.program for one in series], ["lockstep", "cudnn", "x"])


class SourceTest(unittest.TestCase):
    def source(self, **context):
        return load(result(training(), **context)).sources[0]

    def test_machines_are_equal_by_model_cores_caches_and_gpus(self):
        machine = self.source().machine
        self.assertEqual(machine.words, "A CPU, 2 cores")
        self.assertEqual(machine.key, self.source(caches=CACHES[:1] + CACHES[2:]).machine.key)
        for other in ({"cpu_model": "B"}, {"num_cpus": 4}, {"caches": CACHES[:1]}, {"gpus": ["G"]}, {"gpu": "G"}):
            self.assertNotEqual(machine.key, self.source(**other).machine.key, other)

    def test_an_unknown_machine(self):
        machine = self.source(cpu_model=None, caches=None, machine="x86_64").machine
        self.assertEqual((machine.key, machine.words), (None, "x86_64 (model unknown), 2 cores"))
        for model in (None, "unknown"):
            self.assertEqual(self.source(cpu_model=model).machine.words, "L1 32 KiB, L2 1 MiB, 2 cores")

    def test_scaling_is_weak_where_older_files_do_not_say(self):
        self.assertEqual(self.source(options={}).scaling, "weak")
        self.assertEqual(self.source(options={"scaling": "strong"}).scaling, "strong")
        self.assertIsNone(self.source().scaling)

    def test_dates_have_a_zone(self):
        self.assertEqual(self.source(date="2026-01-01T12:00:00+0200").date, self.source().date)
        for date in ("yesterday", "2026-01-01"):
            with self.assertRaisesRegex(ReportError, r"\[load\] .*1\.json: context has the date '.*'; wanted"):
                self.source(date=date)


class NotesTest(unittest.TestCase):
    def notes(self, *entries, failures=None, **context):
        content = {**result(*entries, training(4), **context), "failures": failures or {}}
        return [text for _, text in load(content).notes]

    def test_a_whole_result_needs_none(self):
        self.assertEqual(self.notes(training()), [])

    def test_interrupted(self):
        self.assertIn("interrupted", self.notes(complete=False)[0])

    def test_stopped_in_the_warm_up(self):
        entry = {**training(breakdown_ms={}), "items_per_second": 0, "samples": {"items_per_second": []}}
        [note] = self.notes(entry)
        self.assertEqual(note, f"{entry['name']}: not measured: the run ended in its warm-up")

    def test_a_wrong_or_failed_entry_is_not_shown(self):
        for fields, words in (
            ({"checks": {"copies_bitwise_equal": False}}, "copies_bitwise_equal"),
            ({"trained": False}, "trained"),
            ({"wrong": 3}, "3 wrong"),
            ({"error_occurred": True, "error_message": "no memory"}, "no memory"),
        ):
            [note] = self.notes(training(**fields))
            self.assertIn(f"failed its checks ({words}); not shown", note)
        self.assertEqual(self.notes(training(checks={"copies_bitwise_equal": None})), [])

    def test_a_planted_slowdown(self):
        self.assertEqual(self.notes(options={"planted": {"work_us": 5}}), ['a slowdown was planted: {"work_us": 5}'])

    def test_a_peer_that_failed(self):
        self.assertEqual(self.notes(failures={"p/1": "exit 1\nTraceback"}), ["p/1 failed and is not compared: exit 1"])

    def test_an_entry_without_any_figure(self):
        self.assertEqual(self.notes({"name": "X"}), ["X: no rate and no time; not shown"])


class LoadTest(unittest.TestCase):
    def setUp(self):
        self.folder = folder()

    def write(self, name, content):
        return write(self.folder, name, content)

    def assert_refused(self, content, words, name="r.json"):
        with self.assertRaisesRegex(ReportError, words) as caught:
            result_set.load([self.write(name, content)])
        self.assertNotIn("\n", str(caught.exception))

    def test_files_are_ordered_by_date_and_called_by_their_names(self):
        paths = [
            self.write("b.json", result(training(), date="2026-01-02T00:00:00+00:00")),
            self.write("a.json", result(training())),
        ]
        self.assertEqual([source.name for source in result_set.load(paths).sources], ["a", "b"])

    def test_names_are_as_long_as_it_takes(self):
        self.assertEqual(result_set.short_names(["x/1/a.json", "x/2/a.json"]), ["1/a", "2/a"])
        self.assertEqual(result_set.short_names(["a.json", "x/a.json"]), ["a", "x/a"])
        self.assertEqual(result_set.short_names(["x/a.json"]), ["a"])

    def test_a_folder_is_all_results_below_it_each_once(self):
        first = self.write("a.json", result(training()))
        self.write("deep/er/b.json", result(training(2)))
        self.write("deep/notes.txt", "x")
        results = result_set.load([self.folder, first])
        self.assertEqual([source.name for source in results.sources], ["a", "b"])

    def test_what_is_no_result_in_a_folder_is_a_note_and_by_its_name_an_error(self):
        good = self.write("a.json", result(training()))
        trace = self.write("trace.json", {"traceEvents": []})
        [(name, note)] = result_set.load([self.folder]).notes
        self.assertEqual(name, "trace")
        self.assertIn("no dict 'context'", note)
        with self.assertRaisesRegex(ReportError, "trace.json: no dict 'context'"):
            result_set.load([good, trace])

    def test_a_copy_of_a_result_is_a_note(self):
        for name in ("a.json", "b.json"):
            self.write(name, result(training()))
        results = result_set.load([self.folder])
        self.assertEqual((len(results.series), results.notes), (1, [("b", "left out: the same result as a")]))

    def test_bad_files_are_named(self):
        for content, words in (
            ("{", "r.json: not JSON"),
            ({"context": {}}, "no list 'benchmarks'"),
            (result(training(), date=None), "'date' is a required property"),
            (result({"real_time": 1}), r'\["benchmarks"\]\[0\]: \'name\' is a required'),
            (result({"name": "X", "real_time": "fast"}), "'fast' is not of type 'number'"),
            (result({"name": "X", "real_time": -1}), "less than the minimum"),
            (result({"name": "X", "real_time": 1, "time_unit": "h"}), "'h' is not one of"),
            (result({"name": "X", "algbw": float("nan")}), "nan is not of type 'number'"),
            (result({"name": "X", "algbw": 1, "samples": [1, float("inf")]}), "inf"),
            (result({"name": "X", "algbw": 1, "samples": {"algbw": [float("nan")]}}), "is nan"),
            (result({"name": "X", "real_time": 1e308}), r"r\.json: the number 1e\+308 is no figure"),
            (result({"name": "X", "real_time": 10**400}), r"r\.json: no double holds"),
            ("[" * 100_000, r"r\.json: nested deeper than 200 levels"),
        ):
            self.assert_refused(content, words)

    def test_nan_of_an_unused_counter_is_accepted(self):
        self.write("r.json", result({"name": "X", "real_time": 1, "my_counter": float("nan")}))
        self.assertEqual(len(result_set.load([self.folder]).series), 1)

    def test_a_training_entry_with_missing_fields(self):
        entry = training()
        del entry["epochs"], entry["replicas"]
        self.assert_refused(result(entry), "Train/.* has no replicas, epochs")

    def test_entries_that_nothing_tells_apart(self):
        self.assert_refused(result(training(), training()), "two entries named Train/.*no round or repetition")
        self.assert_refused(result(*rounds(training, (1, 2)), training(round=2)), "two entries named Train/")

    def test_nothing_to_show_says_what_to_give(self):
        self.assert_refused(result(), r"no entry with a figure in .*r\.json; give results of //benchmarks:scaling")
        self.assert_refused(result({"name": "X"}), r"\(r: X: no rate and no time; not shown\); give")
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        with self.assertRaisesRegex(ReportError, "empty: no .json file in this folder"):
            result_set.load([empty])

    def test_a_missing_file(self):
        with self.assertRaisesRegex(ReportError, "gone.json: No such file"):
            result_set.load([os.path.join(self.folder, "gone.json")])


if __name__ == "__main__":
    xml_unittest.main()
