"""The gate as a user starts it, on sides that are the program of program_testing.py, and what is left of processes."""
import contextlib
import io
import os
import shlex
import signal
import sys
import tempfile
import time
import unittest
from unittest import mock

from benchmarks.gate import gate, recording_file

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'program_testing.py')
# Without site packages it starts in a few hundredths of a second.
PYTHON = (sys.executable, '-I', '-S')
SOON = 10.0


def program(*arguments):
    """The words of its command."""
    return (*PYTHON, PROGRAM, *arguments)


def running(groups):
    """Numbers of processes of the given process groups that run; zombies do not."""
    found = []
    for name in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{name}/stat', encoding='utf-8', errors='replace') as file:
                state, _, group = file.read().rpartition(')')[2].split()[:3]
        except OSError:
            continue  # it ended meanwhile
        if int(group) in groups and state not in 'ZX':
            found.append(int(name))
    return found


class ProcessTest(unittest.TestCase):
    """Each test has a folder, and leaves no process of the programs that tell their numbers there."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get('TEST_TMPDIR'))
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.addCleanup(self.check_nothing_is_left)

    def path(self, name):
        return os.path.join(self.folder, name)

    def program(self, *arguments):
        """As `program`, of one that tells its number."""
        return program(f'--started={self.path("started")}', *arguments)

    def groups(self):
        """Numbers of the processes that were started, each the leader of its group."""
        try:
            with open(self.path('started'), encoding='ascii') as file:
                return [int(line) for line in file]
        except FileNotFoundError:
            return []

    def check_nothing_is_left(self):
        groups = self.groups()
        left, limit = running(groups), time.monotonic() + SOON
        while left and time.monotonic() < limit:
            time.sleep(0.02)
            left = running(groups)
        for number in left:
            os.kill(number, signal.SIGKILL)
        self.assertEqual(left, [], 'processes are left')


class Ran:
    """How the gate ended, as subprocess has it."""

    def __init__(self, arguments):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as error:
            self.returncode = gate.main(arguments)
        self.stdout, self.stderr = out.getvalue(), error.getvalue()


class LiveGateCase(ProcessTest):
    """Within this process: loading the statistics takes a second."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path('tmp'))
        for patch in (mock.patch.dict(os.environ, BUILD_WORKING_DIRECTORY=self.folder, TMPDIR=self.path('tmp'),
                                      XDG_CACHE_HOME=self.path('cache')),
                      mock.patch.object(tempfile, 'tempdir', self.path('tmp'))):
            patch.start()
            self.addCleanup(patch.stop)

    def words(self, *options, baseline=(), candidate=()):
        sides = [f'--{side}={shlex.join(self.program(*words))}'
                 for side, words in (('baseline', baseline), ('candidate', candidate))]
        return [*sides, '--arguments=', *options]

    def gate(self, *options, **sides):
        return self.run_gate(*self.words(*options, **sides))

    def run_gate(self, *arguments):
        ran = Ran(arguments)
        self.assertEqual(os.listdir(self.path('tmp')), [], 'temporary files are left')
        return ran

    def recorded(self, name='r.json'):
        return recording_file.load(self.path(name))[0]
