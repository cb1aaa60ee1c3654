"""Which testees run, and which answers are stale."""

import contextlib
import io
import unittest

from conformance.answers import ask
from tools import xml_unittest

KNOWN = {"keras": None, "jax": None}


class ArgumentsTest(unittest.TestCase):
    def test_all_run_unless_some_are_named(self):
        self.assertEqual(ask.parse_arguments([], KNOWN).testees, ["jax", "keras"])
        self.assertEqual(ask.parse_arguments(["keras"], KNOWN).testees, ["keras"])

    def test_an_unknown_name_is_refused(self):
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit) as raised:
            ask.parse_arguments(["caffe"], KNOWN)
        self.assertEqual(raised.exception.code, 2)
        self.assertIn("caffe", said.getvalue())


class StaleTest(unittest.TestCase):
    def test_cases_are_counted_by_reason(self):
        result = {
            "not_answered": {"a/b/c": "the case changed"},
            "cases": [
                {"id": "a/b/d", "outdated": "the testee changed"},
                {"id": "a/b/e"},
                {"id": "a/b/f", "outdated": "the testee changed"},
            ],
        }
        self.assertEqual(
            ask.stale("mini", {"mini": result}),
            [
                "mini: 2 cases with an answer from before: the testee changed",
                "mini: 1 case without an answer: the case changed",
            ],
        )
        self.assertEqual(ask.stale("other", {"mini": result}), ["other: it never ran"])


if __name__ == "__main__":
    xml_unittest.main()
