"""What the testees need."""

import json
import unittest
from unittest import mock

from lockstep_suite import frameworks
from tools import xml_unittest


class NeededTest(unittest.TestCase):
    def test_every_testee_in_python_is_in_the_table(self):
        with open("conformance/testees.json", encoding="utf-8") as stream:
            testees = json.load(stream)["testees"]
        in_python = {testee["name"] for testee in testees if "{python}" in testee["command"]}
        self.assertEqual(set(frameworks.NEEDED), in_python)


class MissingTest(unittest.TestCase):
    def test_the_error_has_the_command_that_installs(self):
        with (
            mock.patch.object(frameworks, "has", lambda module: module == "torch"),
            self.assertRaisesRegex(
                frameworks.Missing, "lightning needs .*: pip install pytorch-lightning torchmetrics$"
            ),
        ):
            frameworks.require("lightning")

    def test_other_implementations_need_nothing(self):
        with mock.patch.object(frameworks, "has", lambda module: False):
            frameworks.require("reference")
            frameworks.require("python3 my_testee.py")

    def test_a_module_in_a_package_that_is_not_there_is_missing(self):
        self.assertFalse(frameworks.has("no_such_package.module"))
        self.assertTrue(frameworks.has("xml.dom"))


if __name__ == "__main__":
    xml_unittest.main()
