"""How far a run is, is said as it goes."""

import contextlib
import io
import unittest

from conformance.answers import run_cases
from tools import xml_unittest


class FollowTest(unittest.TestCase):
    def test_cases_are_counted(self):
        with contextlib.redirect_stderr(io.StringIO()) as progress:
            said = run_cases.follow(["a/b/c: passed\n", "a warning\n", "a/b/d: failed\n"], {"a/b/c", "a/b/d"}, "mini")
        self.assertEqual(len(said), 3)
        self.assertIn("mini: 2 of 2 cases", progress.getvalue())


if __name__ == "__main__":
    xml_unittest.main()
