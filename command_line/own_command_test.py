"""Tests of own_command.py."""

import os
import unittest
from unittest import mock

from command_line.own_command import own_command, program_name, run_command
from tools import xml_unittest


class OwnCommandTest(unittest.TestCase):
    def test_in_the_tree_it_is_bazels(self):
        with mock.patch.dict(os.environ):
            os.environ.pop("LOCKSTEP_COMMAND", None)
            self.assertEqual(own_command("//benchmarks:gate"), "./bazelw run //benchmarks:gate --")
            self.assertEqual(run_command(), "./bazelw run //conformance:run --")
            self.assertIsNone(program_name())

    def test_from_the_wheel_it_is_the_wheels(self):
        with mock.patch.dict(os.environ, {"LOCKSTEP_COMMAND": "lockstep gate"}):
            self.assertEqual((own_command("//benchmarks:gate"), run_command()), ("lockstep gate", "lockstep run"))
            self.assertEqual(program_name(), "lockstep gate")


if __name__ == "__main__":
    xml_unittest.main()
