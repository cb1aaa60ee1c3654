"""Which programs share a child, and what ends it."""

import signal
import unittest

from conformance.testees.python import protocol
from conformance.testees.python.kept_children import MOST_KEPT, MOST_PROGRAMS, has_step
from conformance.testees.python.miniature_testee import Miniature
from conformance.testees.python.protocol_testing import SHOW_RUNS, STOP, run, talk
from tools import xml_unittest

FAIL = {"step": "strategy.run", "program": [{"step": "value.fail"}]}
TRY = {"step": "program.try", "observe": "error", "program": [FAIL]}


def request(*program, replicas=2, **given):
    message = run(1, *program)
    return {**message, "given": message["given"] | {"replicas": replicas} | given}


class KeptChildrenTest(unittest.TestCase):
    def setUp(self):
        self.answer = protocol.answering(Miniature(keeps=True))

    def runs(self, *program, **given):
        """Which program of its child this is, and 10 for each time that it was made to forget."""
        return self.answer(request(*program, SHOW_RUNS, **given))["observations"]["runs"]

    def test_programs_of_a_kind_share_a_child_that_forgets_between_them(self):
        self.assertEqual([self.runs(), self.runs(), self.runs()], [1, 12, 23])

    def test_programs_of_other_kinds_do_not(self):
        self.assertEqual([self.runs(replicas=1), self.runs(replicas=2)], [1, 1])
        self.assertEqual([self.runs(replicas=1), self.runs(replicas=2)], [12, 12])

    def test_without_a_kind_each_has_its_own(self):
        self.answer = protocol.answering(Miniature(forks=True))
        self.assertEqual([self.runs(), self.runs()], [1, 1])

    def test_a_child_ends_behind_an_error(self):
        self.assertEqual(self.runs(), 1)
        self.assertEqual(self.answer(request(FAIL))["error"]["class"], "InvalidArgument")
        self.assertEqual(self.runs(), 1)

    def test_a_child_ends_behind_a_step_that_is_lacking(self):
        self.assertEqual(self.runs(), 1)
        self.assertIn("unsupported", self.answer(request({"step": "strategy.gather"})))
        self.assertEqual(self.runs(), 1)

    def test_what_tries_has_a_child_of_its_own(self):
        repeat = {"step": "program.repeat", "times": 1, "program": [TRY]}
        self.assertEqual([self.runs(), self.runs(TRY), self.runs(repeat)], [1, 1, 1])
        self.assertEqual(self.runs(), 12)

    def test_a_child_answers_so_many_programs_and_no_more(self):
        last = [self.runs() for _ in range(MOST_PROGRAMS)][-1]
        self.assertEqual(last, 11 * MOST_PROGRAMS - 10)
        self.assertEqual(self.runs(), 1)

    def test_the_child_asked_longest_ago_goes_first(self):
        for replicas in range(1, MOST_KEPT + 1):
            self.assertEqual(self.runs(replicas=replicas), 1)
        self.assertEqual(self.runs(replicas=1), 12)
        self.assertEqual(self.runs(replicas=MOST_KEPT + 1), 1)  # that of 2 goes
        self.assertEqual(self.runs(replicas=1), 23)
        self.assertEqual(self.runs(replicas=3), 12)
        self.assertEqual(self.runs(replicas=2), 1)

    def test_a_crash_in_a_later_program_is_the_testee_s(self):
        messages = [request(SHOW_RUNS), request({"step": "process.abort"}), STOP]
        finished = talk(messages, "--keeps")
        self.assertEqual(finished.returncode, -signal.SIGABRT)
        self.assertEqual(finished.stdout.count("\n"), 1)

    def test_steps_are_found_in_blocks(self):
        block = [{"step": "program.repeat", "times": 1, "program": [TRY]}]
        self.assertTrue(has_step(block, ("program.try",)))
        self.assertTrue(has_step(block, ("value.fail", "no.step")))
        self.assertFalse(has_step(block, ("job.run",)))


if __name__ == "__main__":
    xml_unittest.main()
