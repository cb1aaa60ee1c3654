"""The command line of the wheel."""

import contextlib
import io
import os
import shlex
import sys
import tempfile
import unittest
from unittest import mock

from lockstep_suite import cli, commands, doctor, frameworks, installation
from tools import xml_unittest


@mock.patch.object(doctor, "version", lambda: "1.2.3")
class ParseTest(unittest.TestCase):
    def test_what_follows_a_command_is_its_own(self):
        options = cli.parse_arguments(["run", "--testee=jax", "--help"])
        self.assertEqual((options.command, options.arguments), ("run", ["--testee=jax", "--help"]))

    def refusal(self, word):
        with self.assertRaises(SystemExit) as refused, contextlib.redirect_stderr(io.StringIO()) as printed:
            cli.parse_arguments([word])
        self.assertEqual(refused.exception.code, 2)
        return printed.getvalue()

    def test_an_unknown_command_is_refused_with_similar_names(self):
        self.assertIn("there is no command 'rnu'; did you mean run?", self.refusal("rnu"))
        self.assertIn("did you mean doctor?", self.refusal("docter"))

    def test_a_command_unlike_all_is_refused_with_all_names(self):
        self.assertIn("there is no command 'xyzzy'; wanted one of run, list, explain,", self.refusal("xyzzy"))

    def test_every_command_has_a_line_in_the_help(self):
        with self.assertRaises(SystemExit), contextlib.redirect_stdout(io.StringIO()) as printed:
            cli.parse_arguments(["--help"])
        for name in cli.NAMES:
            self.assertRegex(printed.getvalue(), rf"(?m)^  {name}  +\w")


class TesteeOfTest(unittest.TestCase):
    def test_it_is_the_one_that_is_named(self):
        self.assertEqual(cli.testee_of(["--level=required", "--testee=jax"]), "jax")
        self.assertEqual(cli.testee_of(["--testee", "keras", "--list"]), "keras")
        self.assertEqual(cli.testee_of([]), "reference")

    @mock.patch.dict(os.environ)
    def test_a_program_in_python_is_started_by_python(self):
        os.environ.pop("LOCKSTEP_PYTHON", None)
        self.assertEqual(
            cli.with_testee_command(["--testee=/opt/t.py", "--list"]),
            [f"--testee={shlex.quote(sys.executable)} /opt/t.py", "--list"],
        )
        self.assertEqual(cli.with_testee_command(["--testee=jax"]), ["--testee=jax"])


class JobsTest(unittest.TestCase):
    def test_the_bundled_reference_runs_on_each_core(self):
        with mock.patch("os.cpu_count", return_value=2):
            self.assertEqual(cli.with_jobs("run", []), ["--jobs=2"])
            self.assertEqual(cli.with_jobs("run", ["--area=loss"]), ["--area=loss", "--jobs=2"])

    def test_what_is_named_or_another_testee_stays(self):
        for arguments in (["--jobs=1"], ["--jobs", "1"], ["--list"], ["--testee=jax"], ["--help"], ["--probe"]):
            self.assertEqual(cli.with_jobs("run", arguments), arguments)
        self.assertEqual(cli.with_jobs("judge", []), [])


class CheckTest(unittest.TestCase):
    @mock.patch.object(frameworks, "version", lambda package: None if package == "jinja2" else "1.0")
    def test_a_report_without_its_packages_does_not_start(self):
        with self.assertRaisesRegex(frameworks.Missing, r"\[matrix\] needs jinja2: pip install 'lockstep-suite\[rep"):
            cli.check("matrix", [])

    @mock.patch.object(frameworks, "version", lambda package: None)
    def test_a_benchmark_without_packages_runs_without_a_report(self):
        with self.assertRaisesRegex(frameworks.Missing, r"\[bench\] needs jinja2, .*, or add --report=none$"):
            cli.check("bench", ["--epochs=1"])
        cli.check("bench", ["--report=none"])
        cli.check("bench", ["--epochs=1", "--report", "none"])
        cli.check("bench", ["--help"])

    @mock.patch.object(installation, "FILES", ".")
    @mock.patch.object(frameworks, "version", lambda package: None)
    def test_a_testee_without_its_framework_does_not_start(self):
        with self.assertRaisesRegex(frameworks.Missing, "pytorch_ddp needs torch"):
            cli.check("run", ["--testee=pytorch_ddp"])
        cli.check("run", ["--testee=pytorch_ddp", "--help"])
        cli.check("run", [])


class StartTest(unittest.TestCase):
    def setUp(self):
        self.addCleanup(os.chdir, os.getcwd())

    @mock.patch.object(doctor, "version", lambda: "1.2.3")
    def test_a_program_that_is_not_there_is_said(self):
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.object(installation, "FILES", folder),
            contextlib.redirect_stderr(io.StringIO()) as printed,
        ):
            self.assertEqual(cli.main(["fetch"]), 2)
        self.assertRegex(
            printed.getvalue(), r"^\[fetch\] cannot start \S+/fetch: No such file .*; install the wheel again"
        )


class HelpTest(unittest.TestCase):
    def test_commands_are_the_wheels(self):
        text = "  ./bazelw run //conformance:run     all\n  ./bazelw run //conformance:run -- --testee=jax\n"
        self.assertEqual(cli.for_installation(text, "run"), "  lockstep run     all\n  lockstep run --testee=jax\n")

    def test_it_calls_programs_as_the_user_does(self):
        text = "usage: conformance_matrix.py [-h]\n  RESULT  result JSON of //conformance:run; one a column\n"
        self.assertEqual(
            cli.for_installation(text, "matrix"),
            "usage: lockstep matrix [-h]\n  RESULT  result JSON of lockstep run; one a column\n",
        )


class DocumentTest(unittest.TestCase):
    def test_it_lists_every_command_with_its_target(self):
        with open("docs/running.md", encoding="utf-8") as stream:
            text = stream.read()
        for name, command in commands.COMMANDS.items():
            self.assertIn(
                " ".join(["| `lockstep %s` | `./bazelw run %s --" % (name, command.target), *command.first]), text
            )
        for name in cli.OWN:
            self.assertIn("`lockstep %s`" % name, text)


if __name__ == "__main__":
    xml_unittest.main()
