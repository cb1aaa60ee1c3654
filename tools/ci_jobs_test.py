"""The jobs of docs/ci, run as continuous integration runs them; only Bazel's part is played by a stand-in.

The stand-in for ./bazelw starts the programs that Bazel built for this test by their labels, where `bazel run` would.
"""

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import unittest
from xml.etree import ElementTree

from tools import xml_unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(xml_unittest.__file__)))
PROGRAMS = {
    "//conformance:run": "conformance/run",
    "//conformance:compare": "reports/conformance_comparison",
    "//reports:conformance_matrix": "reports/conformance_matrix",
}
MINIMAL = f"python3 {shlex.quote(os.path.join(ROOT, 'conformance/testees/miniatures/minimal.py'))}"


class JobTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.checkout = os.path.join(self.folder, "checkout")
        shutil.copytree(os.path.join(ROOT, "docs/ci"), os.path.join(self.checkout, "docs/ci"))
        self.stand_in(
            'case "$2" in\n'
            + "".join(
                f"  {label}) program={shlex.quote(os.path.join(ROOT, path))} ;;\n" for label, path in PROGRAMS.items()
            )
            + f'esac\nshift 3; cd {shlex.quote(ROOT)} && BUILD_WORKING_DIRECTORY="$OLDPWD" exec "$program" "$@"\n'
        )

    def stand_in(self, script):
        path = os.path.join(self.checkout, "bazelw")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, 0o755)

    def run_job(self, name, *arguments, **environment):
        return subprocess.run(
            ["bash", os.path.join(self.checkout, "docs/ci", name), *arguments],
            cwd=self.folder,
            text=True,
            check=False,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
        )


class ConformanceJobTest(JobTest):
    def run_area(self, *arguments):
        return self.run_job("conformance.sh", *arguments, LOCKSTEP_RUN_OPTIONS="--area=reduce --level=required")

    def test_the_first_run_writes_all_and_says_what_to_keep(self):
        ran = self.run_area("reference", "results", "old.json")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertIn(f"There is no {self.folder}/old.json yet", ran.stdout)
        folder = os.path.join(self.folder, "results")
        self.assertEqual(
            sorted(os.listdir(folder)), ["badge.png", "conformance.json", "conformance.md", "conformance.xml"]
        )
        cases = ElementTree.parse(os.path.join(folder, "conformance.xml")).iter("testcase")
        self.assertGreater(sum(1 for _ in cases), 5)
        with open(os.path.join(folder, "badge.png"), "rb") as picture:
            self.assertEqual(picture.read(4), b"\x89PNG")

    def test_a_regression_fails_the_job_and_is_reported(self):
        self.assertEqual(self.run_area("reference", "first").returncode, 0)
        same = self.run_area("reference", "second", "first/conformance.json")
        self.assertEqual(same.returncode, 0, same.stdout + same.stderr)
        worse = self.run_area(MINIMAL, "third", "first/conformance.json")
        self.assertEqual(worse.returncode, 1, worse.stdout + worse.stderr)
        with open(os.path.join(self.folder, "third/changes.json"), encoding="utf-8") as file:
            self.assertTrue(json.load(file)["regressions"])
        self.assertTrue(os.path.exists(os.path.join(self.folder, "third/changes.md")))

    def test_a_testee_that_is_not_there_ends_the_job(self):
        ran = self.run_area("no_such_testee", "results")
        self.assertEqual((ran.returncode, os.path.exists(os.path.join(self.folder, "results/badge.png"))), (2, False))

    def test_usage(self):
        for name in ("answers.sh", "conformance.sh", "figures.sh", "gate.sh", "systems.sh"):
            ran = self.run_job(name)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertIn(f"bash docs/ci/{name} ", ran.stderr)


class GateJobTest(JobTest):
    def test_the_gate_writes_all_reports_and_its_status_is_the_jobs(self):
        self.stand_in('printf "%s\\n" "$@"; exit 3\n')
        ran = self.run_job("gate.sh", "HEAD~1", "some where", "--budget=60s")
        folder = os.path.join(self.folder, "some where")
        self.assertEqual(ran.returncode, 3)
        self.assertEqual(
            ran.stdout.splitlines(),
            [
                "run",
                "//benchmarks:gate",
                "--",
                "--baseline=HEAD~1",
                "--budget=60s",
                f"--record={folder}/recordings.json",
                f"--json={folder}/gate.json",
                f"--markdown={folder}/gate.md",
                f"--html={folder}/gate.html",
            ],
        )


class AnswersJobTest(JobTest):
    def test_stale_answers_are_renewed_and_the_change_is_left(self):
        self.stand_in(
            'printf "%s " "$@" >> calls; echo >> calls\n'
            'case "$*" in *--list*) echo "jax: 2 cases" ;; *ask*) echo new >> conformance/answers/a.json ;;\n'
            "  build*) mkdir -p bazel-bin/conformance; echo page > bazel-bin/conformance/matrix.html ;; esac\n"
        )
        answers = os.path.join(self.checkout, "conformance/answers")
        os.makedirs(answers)
        subprocess.run(["git", "init", "--quiet", self.checkout], check=True)
        ran = self.run_job("answers.sh", "results", "jax")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

        def read(*names):
            return pathlib.Path(*names).read_text(encoding="utf-8")

        self.assertEqual(
            read(self.checkout, "calls").split("\n")[:2],
            ["run //conformance:ask -- --list jax ", "run //conformance:ask -- jax "],
        )
        self.assertEqual(read(self.folder, "results/stale.txt"), "jax: 2 cases\n")
        self.assertIn("+new", read(self.folder, "results/answers.patch"))
        self.assertEqual(read(self.folder, "results/matrix.html"), "page\n")

    def test_a_framework_that_cannot_run_ends_the_job(self):
        self.stand_in('case "$*" in *--list*) exit 0 ;; *ask*) exit 2 ;; esac\n')
        self.assertEqual(self.run_job("answers.sh", "results").returncode, 2)


class ServiceFilesTest(unittest.TestCase):
    """Files for services that cannot be run here: at least they start the jobs above."""

    def test_they_start_all_jobs(self):
        for name in ("github.yml", "gitlab.yml"):
            with open(os.path.join(ROOT, "docs/ci", name), encoding="utf-8") as file:
                text = file.read()
            for job in ("answers.sh", "conformance.sh", "figures.sh", "gate.sh", "systems.sh"):
                self.assertIn(f"bash docs/ci/{job} ", text, name)

    def test_what_is_published_is_what_the_site_s_command_writes(self):
        with open(os.path.join(ROOT, "docs/ci/pages.yml"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("run: ./bazelw run //reports:site -- --output=site\n", text)
        self.assertIn("path: site\n", text)


if __name__ == "__main__":
    xml_unittest.main()
