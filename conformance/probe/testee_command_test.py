"""--testee is a name of testees.json or a command."""
import json
import os
import pathlib
import unittest

from conformance.probe import testee_command
from tools import xml_unittest


class TesteeCommandTest(unittest.TestCase):

    def setUp(self):
        self.names = pathlib.Path(os.environ["TEST_TMPDIR"], "testees.json")
        self.names.write_text(json.dumps({"testees": [
            {"name": "one", "means": "The first.", "command": ["bin/one", "--fast"]},
            {"name": "two", "means": "The second.", "command": ["bin/two"]}]}), encoding="utf-8")

    def resolve(self, testee, **environment):
        return testee_command.resolve(testee, self.names, environment)

    def test_a_name_is_looked_up(self):
        self.assertEqual(self.resolve("one", BUILD_WORKING_DIRECTORY="/tmp"),
                         (["bin/one", "--fast"], "."))

    def test_a_command_starts_where_the_user_is(self):
        self.assertEqual(self.resolve("python3 'my testee.py'", BUILD_WORKING_DIRECTORY="/tmp"),
                         (["python3", "my testee.py"], "/tmp"))
        self.assertEqual(self.resolve("./one"), (["./one"], "."))

    def test_another_name_is_unknown(self):
        with self.assertRaisesRegex(testee_command.Unknown,
                                    "no testee 'three', only one, two; a command is"):
            self.resolve("three")


if __name__ == "__main__":
    xml_unittest.main()
