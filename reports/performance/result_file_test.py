"""Reading result files."""

import json
import unittest

from reports.conformance_result_testing import write
from reports.json_file import ReportError
from reports.performance import result_file
from tools import xml_unittest


class ResultFileTest(unittest.TestCase):
    def assert_refused(self, path, *words):
        with self.assertRaises(ReportError) as caught:
            result_file.load(path)
        for word in (path, *words):
            self.assertIn(word, str(caught.exception))

    def test_names_a_missing_file(self):
        self.assert_refused("/no/such/result.json", "No such file")

    def test_names_the_place_of_a_syntax_error(self):
        self.assert_refused(write('{"context": {},\n  "benchmarks": [}'), "line 2")

    def test_requires_context_and_benchmarks(self):
        self.assert_refused(write('{"benchmarks": []}'), "'context'")
        self.assert_refused(write('{"context": {}, "benchmarks": {}}'), "'benchmarks'")
        self.assert_refused(write("[]"), "'context'")

    def test_names_the_missing_fields_of_an_entry(self):
        result = {"context": {}, "benchmarks": [{"name": "Train/x", "replicas": 1}]}
        path = write(json.dumps(result))
        with self.assertRaisesRegex(ReportError, "Train/x has no .*samples"):
            result_file.training_entries(result_file.load(path), path)

    def test_orders_training_entries_and_leaves_others_out(self):
        fields = dict.fromkeys(result_file.TRAIN_FIELDS, 0)
        entries = [
            {**fields, "name": "Train/a", "replicas": 2},
            {"name": "AllReduce/b"},
            {**fields, "name": "Train/c", "replicas": 1},
        ]
        ordered = result_file.training_entries({"benchmarks": entries}, "x")
        self.assertEqual([e["name"] for e in ordered], ["Train/c", "Train/a"])

    def test_files_of_images_are_read_as_those_of_today(self):
        entry = {"name": "Train/a", "images_per_second": 4.0, "samples": {"images_per_second": [4.0]}}
        peer = {"name": "Train/p", "images_per_second": 2.0, "samples": [2.0]}
        epochs = [{"epoch_num": 1, "images_per_second": 3.0}]
        data = {"train_images": 10, "test_images": 5}
        result = {"context": {"data": data}, "benchmarks": [{**entry, "epochs": epochs}, peer]}
        loaded = result_file.load(write(json.dumps(result)))
        self.assertEqual(loaded["context"]["data"], {"train_examples": 10, "test_examples": 5})
        self.assertEqual(
            loaded["benchmarks"],
            [
                {
                    "name": "Train/a",
                    "item": "image",
                    "items_per_second": 4.0,
                    "samples": {"items_per_second": [4.0]},
                    "epochs": [{"epoch_num": 1, "items_per_second": 3.0}],
                },
                peer,
            ],
        )

    def test_spread_is_the_quartiles(self):
        self.assertEqual(result_file.spread([4, 1, 3, 2, 5]), (2, 3, 4))
        self.assertEqual(result_file.spread([7]), (7, 7, 7))


if __name__ == "__main__":
    xml_unittest.main()
