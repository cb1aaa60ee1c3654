"""What is left of a process group: nothing."""

import os
import signal
import subprocess
import tempfile
import unittest
from unittest import mock

from processes import process_group
from processes.process_group import ProcessGroup
from tools import xml_unittest

# What the leader leaves; its environment tells whether it lives.
MARK = "LOCKSTEP_TEST_MARK"
WITH_A_CHILD = "sleep 300 & echo started; "


class RunTest(unittest.TestCase):
    def test_the_status_is_the_commands(self):
        self.assertEqual(process_group.run(["sh", "-c", "exit 3"]), 3)
        self.assertEqual(process_group.run(["sh", "-c", "kill -KILL $$"], 60), -signal.SIGKILL)

    def test_one_that_is_late_has_none(self):
        self.assertIsNone(process_group.run(["sleep", "300"], 0))

    def test_what_the_command_leaves_is_ended(self):
        reader, writer = os.pipe()
        self.assertEqual(process_group.run(["sh", "-c", WITH_A_CHILD], stdout=writer), 0)
        os.close(writer)
        with os.fdopen(reader) as said:
            self.assertEqual(said.read(), "started\n")  # to the end: no process holds the pipe

    def test_what_does_not_start_is_an_error(self):
        with self.assertRaisesRegex(OSError, "No such file"):
            process_group.run(["/no/such"])


class ProcessGroupTest(unittest.TestCase):
    def start(self, script):
        group = ProcessGroup(
            ["sh", "-c", script], stdout=subprocess.PIPE, text=True, env={**os.environ, MARK: self.id()}
        )
        self.addCleanup(group.end, 0)
        self.assertEqual(group.stdout.readline(), "started\n")
        return group

    def test_has_a_moment_to_end_by_itself(self):
        status, cpu_seconds = self.start('trap "exit 7" TERM; echo started; while :; do sleep 0.01; done').end(60)
        self.assertEqual(status, 7)
        self.assertGreaterEqual(cpu_seconds, 0)

    def test_one_that_will_not_is_killed(self):
        group = self.start('trap "" TERM; echo started; while :; do sleep 0.01; done')
        self.assertFalse(group.has_ended(0))
        self.assertEqual(group.end(0.01)[0], -signal.SIGKILL)

    def test_what_is_only_collected_leaves_its_children(self):
        group = self.start(WITH_A_CHILD)
        self.assertTrue(group.has_ended())
        with mock.patch.object(os, "killpg") as killed:
            self.assertEqual(group.collect()[0], 0)
        killed.assert_not_called()
        self.assertEqual(len(process_group.marked(MARK, self.id())), 1)
        process_group.end_marked(MARK, self.id())
        self.assertEqual(process_group.marked(MARK, self.id()), [])


class LastLinesTest(unittest.TestCase):
    def test_lines_are_the_last_and_can_be_shown(self):
        with tempfile.NamedTemporaryFile(dir=os.environ.get("TEST_TMPDIR")) as log:
            log.write(b"one\n\x01two\n\n" + b"".join(b"%d\n" % number for number in range(4)))
            log.flush()
            self.assertEqual(process_group.last_lines(log.name), ["two", "0", "1", "2", "3"])
        self.assertEqual(process_group.last_lines("/no/such"), [])


if __name__ == "__main__":
    xml_unittest.main()
