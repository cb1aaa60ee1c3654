"""The program as a person has it: real rounds with our worker, its exit status, its result, Ctrl-C."""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

from tools import xml_unittest

PROGRAM = os.path.abspath("benchmarks/faults/faults")
FAKE = os.path.abspath("benchmarks/faults/fake_worker_testing.py")
ENDED = 60


def environment():
    return {name: value for name, value in os.environ.items() if not name.startswith("BUILD_W")}


def take_signals():
    """What a person's shell gives a program: a signal ends it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(*arguments):
    return subprocess.run(
        [PROGRAM, *arguments], check=False, capture_output=True, text=True, timeout=ENDED, env=environment()
    )


class FaultsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_rounds_of_ours_find_nothing(self):
        path = os.path.join(self.folder, "faults.json")
        done = run("--rounds=3", "--faults=killed", "--workers=2", "--seed=4", f"--json={path}")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertRegex(done.stdout, r"3 rounds, \d with a fault before the end, 0 failed; seed 4")
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        self.assertTrue(result["context"]["complete"])
        self.assertEqual((result["hung"], result["problems"]), ([], {}))
        for entry in result["benchmarks"]:
            self.assertRegex(entry["name"], r"^(Detect|Resume)/fault:killed/phase:\w+/workers:2$")
            self.assertEqual(entry["program"], "lockstep")

    def test_a_round_that_fails_is_reported_with_the_command_for_it_alone(self):
        done = run(
            "--rounds=1",
            "--faults=killed",
            "--workers=2",
            "--seed=2",
            "--implementation=pytorch",
            f"--worker=python3 -I -S {FAKE} --bad=leaves_file",
            "--only=3",
            "--timeout=2",
        )
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(
            done.stderr, r"round 3: pytorch: .* again with --seed=2 --only=3\n  \[checkpoints\] checkpoint"
        )

    def test_a_hanging_worker_is_ended_and_reported(self):
        path = os.path.join(self.folder, "faults.json")
        done = run(
            "--rounds=1",
            "--faults=killed",
            "--workers=2",
            "--implementation=pytorch",
            "--after=step",
            "--limit=1",
            f"--worker=python3 -I -S {FAKE} --bad=waits",
            "--timeout=2",
            f"--json={path}",
        )
        self.assertEqual(done.returncode, 1, done.stderr)
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        self.assertEqual(
            result["hung"], [{"name": "Detect/fault:killed/phase:steps/workers:2", "program": "pytorch", "rounds": 1}]
        )
        self.assertIn("it hung: it had not ended 1.", result["problems"]["round 1 of pytorch"])

    def test_what_cannot_run_is_reported(self):
        for arguments, word in (
            (["--rounds=0"], "from 1 on"),
            (["--worker=false"], "do not get through"),
            (["--worker=no-such"], "no-such"),
            (["--json=no/such/folder.json"], "No such file"),
        ):
            with self.subTest(arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertIn(word, done.stderr)

    def test_help_tells_what_it_does_with_examples(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("--rounds=1000 --seed=1", done.stdout)

    def test_ctrl_c_leaves_a_result_and_no_process(self):
        path = os.path.join(self.folder, "faults.json")
        command = [
            PROGRAM,
            "--implementation=pytorch",
            f"--worker=python3 -I -S {FAKE}",
            "--rounds=1000",
            "--timeout=2",
            f"--json={path}",
        ]
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment() | {"LOCKSTEP_FAULTS_TEST": self.folder},
            preexec_fn=take_signals,
        ) as process:
            while len(self.processes()) < 3 and process.poll() is None:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            _, printed = process.communicate(timeout=ENDED)
        self.assertEqual((process.returncode, printed), (130, "[faults] stopped by SIGINT\n"))
        with open(path, encoding="utf-8") as file:
            self.assertFalse(json.load(file)["context"]["complete"])
        self.assertEqual(self.processes(), [])

    def processes(self):
        """Those that this test's program started, by their environment."""
        found = []
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/environ", "rb") as file:
                    if f"LOCKSTEP_FAULTS_TEST={self.folder}".encode() in file.read():
                        found.append(number)
            except OSError:
                pass  # it has ended, or is another user's
        return found


if __name__ == "__main__":
    xml_unittest.main()
