"""The scaling program for tests: started as a user does, in its own folder."""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading
import unittest

PROGRAM = os.path.abspath("benchmarks/scaling")


def environment(**changes):
    kept = {k: v for k, v in os.environ.items() if k not in ("BUILD_WORKING_DIRECTORY", "BUILD_WORKSPACE_DIRECTORY")}
    return {**kept, **changes}


def take_signals():
    """Restores the default handlers, as a shell does: a signal ends the program."""
    for each in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(each, signal.SIG_DFL)


class ScalingProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_scaling(self, *arguments, data="embedded", stdout=subprocess.PIPE, preexec=None, **changes):
        images = [f"--data={data}"] if data else []
        return subprocess.run(
            [PROGRAM, *images, "--threads=2", *arguments],
            check=False,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            timeout=240,
            cwd=self.folder,
            env=environment(**changes),
            preexec_fn=preexec,
        )

    @contextlib.contextmanager
    def started(self, *arguments, **streams):
        """The running program; its stdout is a pipe. Gone afterwards, and after a minute."""
        with subprocess.Popen(
            [PROGRAM, "--threads=2", *arguments],
            stdout=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env=environment(),
            preexec_fn=take_signals,
            **streams,
        ) as process:
            deadline = threading.Timer(60, process.kill)
            deadline.start()
            try:
                yield process
            finally:
                deadline.cancel()
                process.kill()

    def interrupt(self, number, at, *arguments):
        """Sends a signal when a line with `at` comes; (status, what came then)."""
        with self.started(*arguments, stderr=subprocess.DEVNULL) as process:
            for line in process.stdout:
                if at in line:
                    break
            process.send_signal(number)
            rest = process.stdout.read()
            return process.wait(timeout=60), rest

    def files(self):
        """Paths of all files in the folder, sorted."""
        return sorted(
            os.path.relpath(os.path.join(folder, name), self.folder)
            for folder, _, names in os.walk(self.folder)
            for name in names
        )

    def result(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)
