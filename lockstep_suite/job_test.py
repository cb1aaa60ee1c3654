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
    def junit(self):
        """(tests, failures) of the list of tests."""
        root = ElementTree.parse(os.path.join(self.folder, "results/conformance.xml")).getroot()
        return int(root.get("tests")), int(root.get("failures"))

    def last_line(self, ran):
        return ran.stdout.splitlines()[-1]

    def test_the_first_run_writes_all_and_says_what_to_keep(self):
        ran = self.job("reference", "--old=accepted.json", "--only-regressions", "--first")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        kept = f"Commit {self.folder}/results/accepted.json as accepted.json"
        self.assertEqual(self.last_line(ran), f"OK: nothing was compared: there is no accepted.json yet. {kept}")
        files = sorted(os.listdir(os.path.join(self.folder, "results")))
        self.assertEqual(files, ["accepted.json", "badge.svg", "conformance.json", "conformance.md", "conformance.xml"])
        tests, failures = self.junit()
        self.assertGreater(tests, 5)
        self.assertEqual(failures, 0)
        self.assertIn("nothing was compared", self.read("summary.md").splitlines()[0])
        self.assertIn("<svg", self.read("results/badge.svg"))

    def test_a_wrong_name_of_the_old_result_fails_before_anything_runs(self):
        ran = self.job("reference", "--old=acepted.json", "--only-regressions")
        self.assertEqual((ran.returncode, self.exists("results")), (2, False))
        self.assertIn(f"[job] there is no {self.folder}/acepted.json to compare with", ran.stderr)
        self.assertEqual(self.job("reference", "--accept=accepted.json").returncode, 0)
        ran = self.job("reference", "--old=accepted.json", "--first")
        self.assertEqual((ran.returncode, "leave out --first" in ran.stderr), (2, True))

    def test_a_damaged_old_result_fails_before_anything_runs(self):
        for text in ("[1", "{}"):
            with open(f"{self.folder}/accepted.json", "w", encoding="utf-8") as stream:
                stream.write(text)
            ran = self.job("reference", "--old=accepted.json")
            self.assertEqual((ran.returncode, self.exists("results")), (2, False))
            self.assertIn(f"[load] {self.folder}/accepted.json: ", ran.stderr)
        self.assertIn("`lockstep run --json=FILE`", ran.stderr)

    def test_an_accepted_result_is_the_same_in_each_run(self):
        for name in ("first.json", "again.json"):
            ran = self.job(MINIMAL, f"--accept={name}")
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertEqual(self.read("first.json"), self.read("again.json"))
        self.assertTrue(self.last_line(ran).startswith("OK: again.json has this result of "))
        same = self.job(MINIMAL, "--old=first.json", "--only-regressions")
        self.assertEqual(self.last_line(same), "OK: nothing is worse than in first.json")

    def test_the_last_line_says_why_it_failed(self):
        ran = self.job(MINIMAL)
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(
            self.last_line(ran),
            r"^FAILED: \d+ cases not as expected and not listed in --deviations: \d+ unsupported"
            r" \(--old=FILE --only-regressions looks at changes alone\)$",
        )
        self.assertEqual(self.last_line(self.job("reference")), "OK: every case is as expected")

    def test_enforced_levels_are_compared(self):
        options = (
            ("--accept=accepted.json", "--enforce=recommended"),
            ("--old=accepted.json", "--enforce", "recommended"),
        )
        for words in options:
            self.job("reference", *words)
        self.assertEqual(json.loads(self.read("results/changes.json"))["enforced"], ["required", "recommended"])

    def test_a_run_of_fewer_cases_fails(self):
        self.assertEqual(self.job("reference", "--accept=accepted.json").returncode, 0)
        ran = self.job("reference", "--old=accepted.json", "--only-regressions", "--filter=reduce/no/such*")
        self.assertEqual(ran.returncode, 2)
        cases = json.loads(self.read("accepted.json"))["cases"]
        ran = self.job("reference", "--old=accepted.json", "--only-regressions", f"--filter={cases[0]['id']}")
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        passed = len(cases) - 1
        self.assertTrue(
            self.last_line(ran).startswith(f"FAILED: {passed} cases passed in accepted.json and did not run now, as "),
            self.last_line(ran),
        )

    def test_options_that_the_job_cannot_take(self):
        for words, said in (
            (["--json=x.json"], "the job itself writes --json, as conformance.json in --folder"),
            (["--only-regressions"], "--only-regressions needs --old"),
            (["--first"], "--first needs --old"),
            (["--old=a", "--accept=b"], "leave out --old"),
        ):
            ran = self.job("reference", *words)
            self.assertEqual((ran.returncode, said in ran.stderr), (2, True), ran.stderr)

    def test_the_help_of_other_commands_names_the_wheels_commands(self):
        for name in ("compare", "matrix"):
            ran = self.shell(f"lockstep {name} --help")
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertTrue(ran.stdout.startswith(f"usage: lockstep {name} [-h]"), ran.stdout[:80])
            self.assertIn("lockstep run --testee=tensorflow --json=", ran.stdout)
            self.assertNotIn("bazelw", ran.stdout)

    def test_a_folder_that_is_a_file(self):
        ran = self.job("reference", "--folder=bin/lockstep")
        self.assertEqual((ran.returncode, ran.stderr), (2, f"[job] {self.folder}/bin/lockstep: File exists\n"))

    def test_a_regression_fails_the_job_and_is_in_the_summary(self):
        self.assertEqual(self.job("reference", "--folder=first").returncode, 0)
        worse = self.job(MINIMAL, "--old=first/conformance.json", "--only-regressions")
        self.assertEqual(worse.returncode, 1, worse.stdout + worse.stderr)
        self.assertTrue(json.loads(self.read("results/changes.json"))["regressions"])
        summary = self.read("summary.md")
        self.assertIn(self.read("results/changes.md"), summary)
        self.assertLess(summary.rindex(self.read("results/changes.md")), summary.rindex("<details>"))
        self.assertGreater(self.junit()[1], 0)
        self.assertRegex(self.last_line(worse), r"^FAILED: \d+ cases? worse than in first/conformance.json")

    def test_what_was_unsupported_before_is_no_regression(self):
        self.assertEqual(self.job(MINIMAL, "--folder=first").returncode, 1)
        same = self.job(MINIMAL, "--old=first/conformance.json", "--only-regressions")
        self.assertEqual(same.returncode, 0, same.stdout + same.stderr)
        self.assertEqual(self.junit()[1], 0)
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
        self.assertIn(f"pip install lockstep-suite[compare] @ file://{self.folder}/a.whl\n", self.log)
        worse = self.run_action(testee=MINIMAL, old="first/conformance.json", fail_on="regression", **given)
        self.assertEqual(worse.returncode, 1, self.log)
        self.assertTrue(self.exists("lockstep-results/changes.md"))

    def test_a_wheel_has_a_path_or_an_address(self):
        self.run_action(wheel="https://example.org/a.whl", testee="reference", options=OPTIONS)
        self.assertIn("pip install lockstep-suite[compare] @ https://example.org/a.whl\n", self.log)

    def test_with_an_old_result_only_a_regression_fails_unless_asked_for_more(self):
        given = {"wheel": "a.whl", "options": OPTIONS, "testee": MINIMAL}
        self.assertEqual(self.run_action(folder="first", **given).returncode, 1)
        given["old"] = "first/accepted.json"
        self.assertEqual(self.run_action(**given).returncode, 0, self.log)
        self.assertEqual(self.run_action(fail_on="unexpected", **given).returncode, 1)
        self.assertEqual(self.run_action(**given | {"old": "frist/accepted.json"}).returncode, 2)

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
        self.assertIn("pip install lockstep-suite[compare] @ https://example.org/a.whl\n", ran.stdout)
        self.assertTrue(self.exists(job["artifacts"]["reports"]["junit"]))


if __name__ == "__main__":
    xml_unittest.main()
