import json
import unittest

from tools import xml_unittest

import result_entries

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
    return result_entries.figures(entries, labels, units)


class FiguresTest(unittest.TestCase):
    def test_ours_and_the_peers_meet_at_the_same_setting(self):
        self.assertEqual(figures(PEER), {"replicas:2": [10.0, 20.0, 30.0]})
        self.assertEqual(figures(OURS), {"replicas:2": [6.0, 7.0]})

    def test_a_label_that_nobody_has_is_left_out(self):
        both = ("replicas", "precision")
        self.assertEqual(set(figures(OURS, labels=both)), {"replicas:2"})
        narrow = OURS | {"name": "Train/replicas:2/precision:mixed_bfloat16"}
        self.assertEqual(
            set(figures(narrow, labels=both)), {"replicas:2/precision:mixed_bfloat16"}
        )

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
        self.assertEqual(
            figures(entry, labels=["bytes"], units=["x"]), {"bytes:1": [5.0]}
        )

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
            with self.assertRaises(result_entries.Wrong):
                figures(wrong)

    def test_an_interrupted_run_of_ours_is_refused(self):
        text = json.dumps({"context": {"complete": False}, "benchmarks": [OURS]})
        with self.assertRaisesRegex(result_entries.Wrong, "interrupted"):
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
