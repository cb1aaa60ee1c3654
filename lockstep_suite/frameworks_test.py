"""What the testees need."""

import importlib.metadata
import json
import unittest
from unittest import mock

from lockstep_suite import frameworks, installation
from tools import xml_unittest


def in_tree(test):
    """With the files of the tree in place of the wheel's."""
    return mock.patch.object(installation, "FILES", ".")(test)


@in_tree
class NeededTest(unittest.TestCase):
    def test_every_testee_in_python_is_in_the_table(self):
        with open("conformance/testees.json", encoding="utf-8") as stream:
            testees = json.load(stream)["testees"]
        in_python = {testee["name"] for testee in testees if "{python}" in testee["command"]}
        self.assertEqual(set(frameworks.needed()), in_python)


@in_tree
class MissingTest(unittest.TestCase):
    def test_the_error_has_the_command_that_installs(self):
        with (
            mock.patch.object(frameworks, "version", lambda package: "2.0" if package == "torch" else None),
            self.assertRaisesRegex(
                frameworks.Missing, "lightning needs .*: pip install pytorch-lightning torchmetrics$"
            ),
        ):
            frameworks.require("lightning")

    def test_other_implementations_need_nothing(self):
        with mock.patch.object(frameworks, "version", lambda package: None):
            frameworks.require("reference")
            frameworks.require("python3 my_testee.py")

    def test_a_package_that_is_not_installed_is_missing(self):
        self.assertEqual(frameworks.missing(["no-such-package", "numpy"]), ["no-such-package"])

    def test_either_name_of_a_package_will_do(self):
        def version(name):
            if name == "tensorflow":
                return "2.21.0"
            raise importlib.metadata.PackageNotFoundError(name)

        with mock.patch.object(importlib.metadata, "version", version):
            self.assertEqual(frameworks.version("tensorflow_cpu"), "2.21.0")
            self.assertEqual(frameworks.missing(["tensorflow_cpu", "keras"]), ["keras"])


if __name__ == "__main__":
    xml_unittest.main()
