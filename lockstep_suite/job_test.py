"""The job of a build server, by the command and by the files for GitHub and GitLab."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

import yaml

from tools import xml_unittest

TREE = os.getcwd()
MINIMAL = f"{sys.executable} {TREE}/conformance/testees/miniatures/minimal.py"
OPTIONS = "--area=reduce --level=required"
# The wheel's command, with the files of the tree in place of the wheel's.
LOCKSTEP = f"""#!/bin/sh
PYTHONPATH={shlex.quote(TREE)} exec {sys.executable} -c '
import sys
from lockstep_suite import cli, installation
installation.FILES = "{TREE}"
sys.exit(cli.main())' "$@"
"""
# A Python whose pip only says what it would install.
PYTHON3 = f"""#!/bin/sh
[ "$1 $2" = "-m pip" ] && {{ shift 2; echo "pip $*"; exit; }}
exec {sys.executable} "$@"
"""


class JobTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.program("lockstep", LOCKSTEP)
        self.program("python3", PYTHON3)

    def program(self, name, text):
        path = os.path.join(self.folder, "bin", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.chmod(path, 0o755)

    def shell(self, script, **environment):
        own = {
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
            "HOME": self.folder,
            "GITHUB_STEP_SUMMARY": f"{self.folder}/summary.md",
        }
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=self.folder,
            env=own | environment,
            text=True,
            capture_output=True,
            check=False,
            timeout=120,
        )

    def job(self, testee, *words):
        return self.shell(shlex.join(["lockstep", "job", f"--testee={testee}", *OPTIONS.split(), *words]))

    def read(self, path):
        with open(os.path.join(self.folder, path), encoding="utf-8") as stream:
            return stream.read()

    def exists(self, path):
        return os.path.exists(os.path.join(self.folder, path))


class CommandTest(JobTest):
    def test_the_first_run_writes_all_and_says_what_to_keep(self):
        ran = self.job("reference", "--old=accepted.json")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertIn(f"There is no {self.folder}/accepted.json yet", ran.stdout)
        files = sorted(os.listdir(os.path.join(self.folder, "results")))
        self.assertEqual(files, ["conformance.json", "conformance.md", "conformance.xml"])
        cases = ElementTree.parse(os.path.join(self.folder, "results/conformance.xml")).iter("testcase")
        self.assertGreater(sum(1 for _ in cases), 5)
        self.assertEqual(self.read("summary.md").strip(), self.read("results/conformance.md").strip())

    def test_a_regression_fails_the_job_and_is_in_the_summary(self):
        self.assertEqual(self.job("reference", "--folder=first").returncode, 0)
        worse = self.job(MINIMAL, "--old=first/conformance.json", "--only-regressions")
        self.assertEqual(worse.returncode, 1, worse.stdout + worse.stderr)
        self.assertTrue(json.loads(self.read("results/changes.json"))["regressions"])
        self.assertIn(self.read("results/changes.md"), self.read("summary.md"))

    def test_what_was_unsupported_before_is_no_regression(self):
        self.assertEqual(self.job(MINIMAL, "--folder=first").returncode, 1)
        same = self.job(MINIMAL, "--old=first/conformance.json", "--only-regressions")
        self.assertEqual(same.returncode, 0, same.stdout + same.stderr)
        self.assertEqual(self.job(MINIMAL, "--old=first/conformance.json").returncode, 1)

    def test_a_job_that_cannot_run_leaves_no_old_report(self):
        self.assertEqual(self.job("reference").returncode, 0)
        for words in (("no_such_testee",), ("reference", "--no-such-option")):
            ran = self.job(*words)
            self.assertEqual((ran.returncode, self.exists("results/conformance.json")), (2, False), ran.stderr)

    def test_the_old_result_is_not_overwritten(self):
        ran = self.job("reference", "--old=results/conformance.json")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("[job] ", ran.stderr)


class GitHubTest(JobTest):
    def setUp(self):
        super().setUp()
        with open("action.yml", encoding="utf-8") as stream:
            self.action = yaml.safe_load(stream)

    def run_action(self, **given):
        """The last step that ran, where the user set these inputs."""
        inputs = {name: declared.get("default") for name, declared in self.action["inputs"].items()}
        inputs |= {name.replace("_", "-"): value for name, value in given.items()}
        for step in self.action["runs"]["steps"]:
            if "run" not in step:
                continue
            environment = {name: self.fill_in(value, inputs) for name, value in step["env"].items()}
            ran = self.shell(step["run"], **environment)
            self.log += ran.stdout + ran.stderr
            if ran.returncode:
                return ran
        return ran

    log = ""

    def fill_in(self, text, inputs):
        for name, value in inputs.items():
            text = text.replace("${{ inputs.%s }}" % name, value or "")
        self.assertNotIn("${{", text)
        return text

    def test_a_wheel_is_installed_and_a_regression_fails(self):
        given = {"wheel": "a.whl", "options": OPTIONS}
        first = self.run_action(testee="reference", folder="first", **given)
        self.assertEqual(first.returncode, 0, self.log)
        self.assertIn(f"pip install lockstep-suite[reports] @ file://{self.folder}/a.whl\n", self.log)
        worse = self.run_action(testee=MINIMAL, old="first/conformance.json", fail_on="regression", **given)
        self.assertEqual(worse.returncode, 1, self.log)
        self.assertTrue(self.exists("lockstep-results/changes.md"))

    def test_a_wheel_has_a_path_or_an_address(self):
        self.run_action(wheel="https://example.org/a.whl", testee="reference", options=OPTIONS)
        self.assertIn("pip install lockstep-suite[reports] @ https://example.org/a.whl\n", self.log)

    def test_a_wrong_value_fails(self):
        ran = self.run_action(wheel="a.whl", testee="reference", fail_on="regresion")
        self.assertEqual((ran.returncode, "got 'regresion'" in ran.stderr), (2, True))

    def test_every_input_is_used_and_documented(self):
        text = "\n".join(json.dumps(step) for step in self.action["runs"]["steps"])
        for name, declared in self.action["inputs"].items():
            self.assertIn("${{ inputs.%s }}" % name, text)
            self.assertTrue(declared["description"])


class GitLabTest(JobTest):
    def test_its_lines_run(self):
        with open("docs/ci/testee.gitlab.yml", encoding="utf-8") as stream:
            job = yaml.safe_load(stream)[".lockstep"]
        given = {
            "LOCKSTEP_WHEEL": "https://example.org/a.whl",
            "LOCKSTEP_TESTEE": "reference",
            "LOCKSTEP_OPTIONS": OPTIONS,
        }
        ran = self.shell("\n".join(job["script"]), **job["variables"] | given)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertIn("pip install lockstep-suite[reports] @ https://example.org/a.whl\n", ran.stdout)
        self.assertTrue(self.exists(job["artifacts"]["reports"]["junit"]))


if __name__ == "__main__":
    xml_unittest.main()
