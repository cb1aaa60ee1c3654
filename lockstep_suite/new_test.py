"""The testee to start from: how it is written, and that the runner judges it."""

import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from lockstep_suite import new
from tools import xml_unittest

RUN = "conformance/run"


class NewTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name):
        """(exit status, stdout, stderr) where the user is in the folder."""
        with (
            mock.patch.dict(os.environ, BUILD_WORKING_DIRECTORY=str(self.folder)),
            contextlib.redirect_stdout(io.StringIO()) as printed,
            contextlib.redirect_stderr(io.StringIO()) as errors,
        ):
            return new.main([name]), printed.getvalue(), errors.getvalue()


class WriteTest(NewTest):
    def test_the_file_has_its_name_and_the_next_command_is_printed(self):
        status, printed, _ = self.write("my_testee.py")
        self.assertEqual(status, 0)
        self.assertIn('testee="python3 my_testee.py" --area=equivalence\n', printed)
        text = (self.folder / "my_testee.py").read_text(encoding="utf-8")
        self.assertIn('class MyTestee(Testee):\n    name = "my_testee"\n', text)
        self.assertNotRegex(text, r"example_testee|Example\(")

    def test_no_file_is_overwritten(self):
        (self.folder / "mine.py").write_text("precious", encoding="utf-8")
        status, _, error = self.write("mine.py")
        self.assertEqual(status, 2)
        self.assertRegex(error, r"^\[New\] \S+mine.py exists and is not overwritten; choose another name")
        self.assertEqual((self.folder / "mine.py").read_text(encoding="utf-8"), "precious")

    def test_a_name_that_is_no_module_is_refused(self):
        for name in ("my-testee.py", "Mine.py", "mine", "2.py"):
            status, _, error = self.write(name)
            self.assertEqual(status, 2, name)
            self.assertIn(f"got '{name}'", error)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_folder_that_is_not_there_is_said(self):
        self.assertRegex(self.write("nowhere/mine.py")[2], r"^\[New\] .*No such file or directory")


class NextCommandTest(unittest.TestCase):
    def test_it_is_of_the_wheel_or_of_the_source_tree(self):
        self.assertEqual(new.next_command("t.py", {}), 'lockstep run --testee="python3 t.py" --area=equivalence')
        self.assertEqual(
            new.next_command("t.py", {"BUILD_WORKSPACE_DIRECTORY": "/src"}),
            'PYTHONPATH=/src ./bazelw run //conformance:run -- --testee="python3 t.py" --area=equivalence',
        )


class RunTest(NewTest):
    def run_mine(self, *options):
        self.write("mine.py")
        environment = os.environ | {"PYTHONPATH": os.getcwd()}
        command = [RUN, f"--testee={sys.executable} {self.folder}/mine.py", *options]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def test_it_passes_the_probe(self):
        ran = self.run_mine("--probe")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_it_passes_cases_and_fails_none(self):
        result = self.folder / "result.json"
        ran = self.run_mine("--area=equivalence", f"--json={result}")
        self.assertEqual(ran.returncode, 1, ran.stderr)  # most are unsupported
        with open(result, encoding="utf-8") as stream:
            verdicts = {case["id"]: case["verdict"] for case in json.load(stream)["cases"]}
        self.assertEqual(set(verdicts.values()), {"passed", "unsupported"})
        self.assertEqual(verdicts["equivalence/batches/a_full_batch_trains_as_one"], "passed")
        self.assertGreaterEqual(list(verdicts.values()).count("passed"), 20)


if __name__ == "__main__":
    xml_unittest.main()
