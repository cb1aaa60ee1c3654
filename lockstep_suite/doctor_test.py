"""What doctor says of commands and testees."""

import unittest
from unittest import mock

from lockstep_suite import doctor, frameworks, installation
from tools import xml_unittest


@mock.patch.object(installation, "FILES", ".")
class RowsTest(unittest.TestCase):
    def rows(self):
        return {what: (state, advice) for what, state, advice in doctor.rows()}

    @mock.patch.object(frameworks, "version", lambda package: None if package in ("jinja2", "torch") else "1.0")
    def test_what_is_missing_is_named_with_the_command_that_installs_it(self):
        rows = self.rows()
        self.assertEqual(rows["lockstep run"], ("ready", ""))
        self.assertEqual(rows["lockstep matrix"], ("needs jinja2", "pip install 'lockstep-suite[reports]'"))
        self.assertEqual(
            rows["lockstep bench"], ("needs jinja2", "pip install 'lockstep-suite[reports]', or add --report=none")
        )
        self.assertEqual(rows["testee pytorch_ddp"], ("needs torch", "pip install torch"))

    @mock.patch.object(frameworks, "version", lambda package: "1.0")
    def test_what_is_installed_is_named_with_its_version(self):
        self.assertEqual(self.rows()["testee pytorch_ddp"], ("ready: torch 1.0", ""))


if __name__ == "__main__":
    xml_unittest.main()
