import unittest

from reports import json_file
from reports.conformance_result_testing import write
from tools import xml_unittest

SCHEMA = {"type": "object", "properties": {"a": {"items": {"type": "integer"}}}}


class JsonFileTest(unittest.TestCase):
    def assert_refused(self, path, schema, *words):
        with self.assertRaises(json_file.ReportError) as caught:
            json_file.load(path, schema)
        for word in (path, *words):
            self.assertIn(word, str(caught.exception))

    def test_reads_what_fits(self):
        self.assertEqual(json_file.load(write({"a": [1]}), write(SCHEMA)), {"a": [1]})

    def test_names_a_missing_file(self):
        self.assert_refused("/no/such/file.json", None, "No such file")

    def test_names_the_place_of_a_syntax_error(self):
        self.assert_refused(write('{"a":\n [}'), None, "not JSON", "line 2")

    def test_names_the_place_that_does_not_fit(self):
        self.assert_refused(write({"a": [1, "x"]}), write(SCHEMA), '$["a"][1]', "'x'")


if __name__ == "__main__":
    xml_unittest.main()
