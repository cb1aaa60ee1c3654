"""Tests of version_option.py."""

import argparse
import contextlib
import io
import re
import unittest

from command_line import version_option


class VersionOptionTest(unittest.TestCase):
    def test_is_three_numbers(self):
        self.assertRegex(version_option.read(), re.compile(r"\d+\.\d+\.\d+"))

    def test_the_option_prints_it(self):
        parser = argparse.ArgumentParser(prog="gate")
        version_option.add(parser)
        with contextlib.redirect_stdout(io.StringIO()) as said, self.assertRaises(SystemExit) as ended:
            parser.parse_args(["--version"])
        self.assertEqual((said.getvalue(), ended.exception.code), (f"gate {version_option.read()}\n", 0))


if __name__ == "__main__":
    unittest.main()
