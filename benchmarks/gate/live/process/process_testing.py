"""The program of paced_program_testing.py as a side, and what is left of processes, for tests."""
import os
import signal
import sys
import tempfile
import time
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
# Without site packages it starts in a few hundredths of a second.
PYTHON = (sys.executable, '-I', '-S')
SOON = 10.0


def program(*arguments, name='paced_program_testing'):
    """The words of its command."""
    return (*PYTHON, os.path.join(FOLDER, name + '.py'), *arguments)


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
