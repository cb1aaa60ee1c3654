"""The training for a speed gate: the document has it, `lockstep new` writes it, and the gate judges it."""

import contextlib
import io
import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from lockstep_suite import cli, installation, new
from tools import xml_unittest


class GateExampleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_the_document_has_this_program(self):
        with open("docs/ci.md", encoding="utf-8") as stream:
            self.assertIn(f"```python\n{new.training_text()}```\n", stream.read())

    def test_new_writes_it_and_says_how_to_gate_it(self):
        with (
            mock.patch.dict(os.environ, {"BUILD_WORKING_DIRECTORY": self.folder}),
            contextlib.redirect_stdout(io.StringIO()) as said,
        ):
            os.environ.pop("BUILD_WORKSPACE_DIRECTORY", None)
            self.assertEqual(new.main(["--gate", "train.py"]), 0)
        with open(os.path.join(self.folder, "train.py"), encoding="utf-8") as stream:
            self.assertEqual(stream.read(), new.training_text())
        words = shlex.split(said.getvalue().splitlines()[-1])
        self.assertEqual(words[:2], ["lockstep", "gate"])
        self.assertEqual(words[2:], ["--baseline=python3 train.py", "--candidate=python3 train.py", "--arguments="])

    def test_a_slower_version_fails_the_gate(self):
        # As many steps as the gate's turns need; the candidate does twice the work in each.
        text = new.training_text()
        versions = {"base.py": text, "slow.py": text.replace("range(100_000)", "range(200_000)")}
        self.assertNotEqual(*versions.values())
        for name, content in versions.items():
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as stream:
                stream.write(content)
        python = shlex.quote(sys.executable)
        sides = [f"--baseline={python} base.py", f"--candidate={python} slow.py"]
        rules = [
            "--arguments=",
            "--metrics=cpu",
            "--delta=20",
            "--looks=2,3",
            "--calibration=none",
            "--markdown=gate.md",
        ]
        ran = subprocess.run(
            [sys.executable, "-m", "benchmarks.gate.gate", *sides, *rules],
            env=os.environ | {"BUILD_WORKING_DIRECTORY": self.folder, "PYTHONPATH": os.getcwd()},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        with open(os.path.join(self.folder, "gate.md"), encoding="utf-8") as stream:
            self.assertIn("Regression: train takes ", stream.read())

    def test_the_help_of_the_wheel_names_the_wheels_commands(self):
        with mock.patch.object(installation, "FILES", os.getcwd()), contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(cli.main(["gate", "--help"]), 0)
        text = said.getvalue()
        self.assertTrue(text.startswith("usage: lockstep gate [-h]"), text[:80])
        self.assertIn("  lockstep gate --baseline=origin/main\n", text)
        self.assertNotIn("bazelw", text)


if __name__ == "__main__":
    xml_unittest.main()
