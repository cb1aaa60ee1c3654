"""The command line of the wheel."""

import unittest
from unittest import mock

from lockstep_suite import cli, doctor, frameworks, installation
from tools import xml_unittest


@mock.patch.object(doctor, "version", lambda: "1.2.3")
class ParseTest(unittest.TestCase):
    def test_what_follows_a_command_is_its_own(self):
        options = cli.parse_arguments(["run", "--testee=jax", "--help"])
        self.assertEqual((options.command, options.arguments), ("run", ["--testee=jax", "--help"]))

    def test_an_unknown_command_is_refused(self):
        with self.assertRaises(SystemExit) as refused, mock.patch("sys.stderr"):
            cli.parse_arguments(["rum"])
        self.assertEqual(refused.exception.code, 2)


class TesteeOfTest(unittest.TestCase):
    def test_it_is_the_one_that_is_named(self):
        self.assertEqual(cli.testee_of(["--level=required", "--testee=jax"]), "jax")
        self.assertEqual(cli.testee_of(["--testee", "keras", "--list"]), "keras")
        self.assertEqual(cli.testee_of([]), "reference")


class CheckTest(unittest.TestCase):
    @mock.patch.object(frameworks, "version", lambda package: None if package == "jinja2" else "1.0")
    def test_a_report_without_its_packages_does_not_start(self):
        with self.assertRaisesRegex(frameworks.Missing, r"\[matrix\] needs jinja2: pip install 'lockstep-suite\[rep"):
            cli.check("matrix", [])

    @mock.patch.object(installation, "FILES", ".")
    @mock.patch.object(frameworks, "version", lambda package: None)
    def test_a_testee_without_its_framework_does_not_start(self):
        with self.assertRaisesRegex(frameworks.Missing, "pytorch_ddp needs torch"):
            cli.check("run", ["--testee=pytorch_ddp"])
        cli.check("run", ["--testee=pytorch_ddp", "--help"])
        cli.check("run", [])


class HelpTest(unittest.TestCase):
    def test_commands_are_the_wheels(self):
        text = "  ./bazelw run //conformance:run     all\n  ./bazelw run //conformance:run -- --testee=jax\n"
        self.assertEqual(cli.for_installation(text), "  lockstep run     all\n  lockstep run --testee=jax\n")


if __name__ == "__main__":
    xml_unittest.main()
