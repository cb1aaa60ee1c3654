"""JSON from outside."""

import math
import unittest

from reports import json_text
from tools import xml_unittest


class JsonTextTest(unittest.TestCase):
    def assert_refused(self, text, words, kind=json_text.JsonError, **options):
        with self.assertRaises(json_text.JsonError) as caught:
            json_text.parse(text, **options)
        self.assertIs(type(caught.exception), kind)
        self.assertIn(words, str(caught.exception))

    def test_reads_values(self):
        value = {"a": [1, -2.5, None, True, "ü"], "b": {}}
        text = '{"a": [1, -2.5, null, true, "ü"], "b": {}}'
        self.assertEqual(json_text.parse(text), value)
        self.assertEqual(json_text.parse(text.encode()), value)

    def test_what_is_no_json(self):
        for text in ("", "{", "[1,]", "{'a': 1}", "1 2", "\ufeff[]", "[01]", '"\n"'):
            self.assert_refused(text, "not JSON: ", json_text.NotJson)
        self.assert_refused('{"a":\n [}', "line 2", json_text.NotJson)
        self.assert_refused(b'"gr\xfcn"', "no UTF-8", json_text.NotJson)

    def test_nan_and_infinities(self):
        for name in ("NaN", "Infinity", "-Infinity"):
            self.assert_refused(f'{{"a": [{name}]}}', f"{name} is not JSON")
        self.assertEqual(json_text.parse("[-Infinity]", constants=True), [-math.inf])
        self.assert_refused("[1e400]", "no double holds", constants=True)

    def test_numbers_that_no_double_holds(self):
        self.assert_refused("[1e400]", "no double holds the number 1e400")
        self.assert_refused("[-1e999999999999]", "no double holds the number -1e99")
        self.assert_refused("1" + "0" * 400, "no double holds the number 1" + "0" * 39 + "...")
        self.assert_refused("-1" + "0" * 5000, "no double holds")  # more digits than Python reads
        self.assertEqual(json_text.parse("[1.7e308, 18446744073709551616, 5e-400]"), [1.7e308, 2**64, 0.0])

    def test_figures_that_nothing_measured(self):
        for text in ("1e308", "-1e101", "1" + "0" * 101, "1e-320", "-1e-101"):
            self.assert_refused(text, "is no figure; wanted 0, or 1e-100 to 1e+100", figures=True)
        self.assertEqual(
            json_text.parse("[0, -0.0, 0e9, 1e100, -1e-100, 18446744073709551615]", figures=True),
            [0, 0, 0, 1e100, -1e-100, 2**64 - 1],
        )

    def test_depth(self):
        for opened, closed in (("[", "]"), ('{"a":', "}")):
            self.assertTrue(json_text.parse(opened * 200 + "1" + closed * 200))
            for depth in (201, 900, 100_000):
                self.assert_refused(opened * depth + "1" + closed * depth, "nested deeper than 200 levels")
        self.assert_refused("[" * 100_000, "nested deeper than 200 levels")

    def test_a_field_twice(self):
        self.assert_refused('{"b": 1, "a": {"x": 1, "y": 2, "x": 1}}', "duplicate field 'x' in an object")

    def test_half_of_a_character(self):
        for text in ('"\\ud800"', '"\\uDFFF"', '{"\\udc00": 1}', '"\ud800"'):
            self.assert_refused(text, "half of a surrogate pair")
        self.assertEqual(json_text.parse('["\\ud83d\\ude00", "\\\\ud800"]'), ["\U0001f600", "\\ud800"])


if __name__ == "__main__":
    xml_unittest.main()
