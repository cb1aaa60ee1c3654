"""The program as people use it, on a made-up package whose versions are miniature testees."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from conformance.versions.fake_environment import HONEST, FakeEnvironment, processes_of, survivors_of
from tools import xml_unittest

MODES = {"1.0": HONEST, "1.1": "always_wrong", "1.2": HONEST, "1.3": "dies_at_start", "1.4": "is_silent"}


def make_case(claim, **names):
    return {
        "id": "values/own/" + claim,
        "level": "required",
        "states": "A value is kept.",
        "cites": [{"source": "distributed_input", "anchor": "0Qb6nDgxiN_n"}],
        "given": {"strategy": "default"},
        "program": [
            {"let": "x", "step": "value.constant", "value": 2, **names},
            {"observe": "y", "step": "value.show", "of": names.get("let", "x")},
        ],
        "expect": [{"observation": "y", "equals": 2}],
    }


class VersionsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.environment = FakeEnvironment(self.folder, MODES)
        os.makedirs(self.path("cases/values"))
        with open(self.path("cases/values/own.json"), "w", encoding="utf-8") as file:
            # The word makes a miniature do what it does wrong.
            json.dump({"topic": "Own", "cases": [make_case("stays"), make_case("breaks", let="trouble")]}, file)

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, *arguments):
        variables = {name: value for name, value in os.environ.items() if not name.startswith("BUILD_")}
        return subprocess.Popen(
            [
                sys.executable,
                "-m",
                "conformance.versions.versions",
                "fake",
                *arguments,
                "--cases=" + self.path("cases"),
                "--testee={python} " + str(self.environment.testee),
                "--jobs=1",
            ],
            env=variables | {"LOCKSTEP_CACHE_DIR": self.folder},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run_program(self, *arguments):
        """(exit status, stdout, stderr)"""
        with self.start(*arguments) as process:
            said, errors = process.communicate(timeout=60)
        return process.returncode, said, errors

    def read_json(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def test_shows_the_version_that_broke_a_case_and_the_one_that_mended_it(self):
        status, said, errors = self.run_program("1.0", "1.1", "1.2", "--json=" + self.path("r.json"))
        self.assertEqual(status, 0, said + errors)
        self.assertIn("fake: 1 of 2 cases change their verdict, 1 never change", said)
        (changed,) = self.read_json("r.json")["changed"]
        self.assertEqual(changed["verdicts"], {"1.0": "passed", "1.1": "failed", "1.2": "passed"})
        self.assertEqual([step["in"] for step in changed["changes"]], ["1.1", "1.2"])
        self.assertRegex(errors, r"\[2/3\] fake 1.1: installed in .* s\n\[2/3\] fake 1.1: 2 of 2 cases")
        self.assertNotIn("\r", errors)  # no terminal

    def test_the_others_go_on_where_one_cannot_be_installed_or_started(self):
        status, said, errors = self.run_program("1.0", "7.7", "1.3", "1.1", "--html=" + self.path("r.html"))
        self.assertEqual(status, 1)
        self.assertIn("1 of 2 cases change their verdict", said)
        self.assertIn("fake 7.7 cannot be installed: looking\nERROR: there is no fake 7.7", errors)
        self.assertIn("fake 1.3 could not be run", errors)
        self.assertIn("no such device", errors)
        with open(self.path("r.html"), encoding="utf-8") as file:
            self.assertIn("ERROR: there is no fake 7.7", file.read())

    def test_a_version_that_is_another_than_was_asked_for_is_not_shown(self):
        self.environment.testee.write_text(self.environment.testee.read_text().replace("fake.VERSION", "'9.9'"))
        status, _, errors = self.run_program("1.0")
        self.assertEqual(status, 2)
        self.assertIn("the testee says that it is Fake 9.9", errors)
        self.assertIn("no version of fake could be run", errors)

    def test_results_that_are_kept_are_taken_for_a_version(self):
        self.assertEqual(self.run_program("1.0", "--results=" + self.path("kept"))[0], 0)
        kept = self.path("kept/fake-1.0.json")
        status, said, errors = self.run_program(kept, "1.1")
        self.assertEqual(status, 0, errors)
        self.assertIn("1 of 2 cases change their verdict", said)
        self.assertNotIn("fake 1.0", errors)
        status, _, errors = self.run_program(kept, "1.0")
        self.assertEqual((status, "two results of 1.0" in errors), (2, True), errors)

    def test_what_goes_with_every_version(self):
        status, _, errors = self.run_program("1.0", "1.2", "--with=also==1.0,more==1.1", "--filter=*/stays")
        self.assertEqual(status, 0, errors)
        self.assertEqual(
            [line.split()[-3:] for line in self.environment.installed()],
            [["fake==1.0", "also==1.0", "more==1.1"], ["fake==1.2", "also==1.0", "more==1.1"]],
        )
        self.assertIn("fake 1.2: 1 of 1 cases", errors)

    def test_a_script_runs_with_each_version(self):
        with open(self.path("script.py"), "w", encoding="utf-8") as file:
            file.write("import sys, fake\nprint('it is', fake.VERSION)\nsys.exit(fake.MODE == 'always_wrong')\n")
        script = "--script=" + self.path("script.py")
        status, said, errors = self.run_program("1.0", "1.2", script)
        self.assertEqual((status, said), (0, "fake 1.0:\nit is 1.0\nfake 1.2:\nit is 1.2\n"), errors)
        self.assertEqual(self.run_program("1.1", script)[0], 1)
        status, said, _ = self.run_program("7.7", "1.0", script)
        self.assertEqual(status, 1)
        self.assertIn("ERROR: there is no fake 7.7\nfake 1.0:\nit is 1.0\n", said)

    def test_wrong_command_lines(self):
        for arguments, message in (
            (["latest"], "wanted a version such as 3.4.1"),
            (["1.0", "1.0"], "a version is there twice"),
            (["1.0", "--filter=nothing"], "nothing"),
            (["1.0", "--with=--pre"], "wanted a package such as psutil==7.2.2"),
            (["1.0", "--html=" + self.path("no/folder")], "No such file"),
            (["1.0", "--publish"], "no --testee with --publish"),
            ([self.path("missing.json")], "missing.json"),
        ):
            status, _, errors = self.run_program(*arguments)
            self.assertEqual((status, message in errors), (2, True), errors)
        self.assertEqual(self.environment.installed(), [])

    def interrupt(self, send, signal_):
        """(exit status, stdout) when it is sent while a silent version runs."""
        with self.start("1.0", "1.4", "1.2", "--json=" + self.path("r.json")) as process:
            while "fake 1.0: 2 of 2 cases" not in process.stderr.readline():
                self.assertIsNone(process.poll())
            while not processes_of(f"\0{self.environment.testee}"):
                self.assertIsNone(process.poll())
                time.sleep(0.05)
            send(process.pid, signal_)
            said, _ = process.communicate(timeout=30)
        self.assertEqual(survivors_of(self.folder), [])
        return process.returncode, said

    def test_an_interruption_leaves_no_process_and_keeps_what_was_finished(self):
        # From a terminal it comes to the whole group.
        for send, signal_ in ((os.killpg, signal.SIGINT), (os.kill, signal.SIGTERM)):
            status, said = self.interrupt(send, signal_)
            self.assertEqual(status, 1)
            self.assertIn("0 of 2 cases change their verdict", said)
            made = self.read_json("r.json")["versions"]
            self.assertEqual(
                [entry.get("problem") for entry in made], [None, *["was not run: the run was interrupted"] * 2]
            )


if __name__ == "__main__":
    xml_unittest.main()
