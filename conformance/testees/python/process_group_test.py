"""Processes of one program: what they answer, and that none is left."""

import os
import select
import signal
import time
import unittest

from conformance.testees.python.process_group import meet_others, run_processes
from tools import xml_unittest

LONG = 60


class RunProcessesTest(unittest.TestCase):
    def test_everyone_answers_once(self):
        results = run_processes(3, lambda number: {"number": number}, LONG)
        self.assertEqual(sorted(results), [(n, {"number": n}) for n in range(3)])

    def test_they_run_at_once_and_apart(self):
        first, second = os.pipe()

        def meet(number):
            if number == 0:
                os.write(second, b"0")
            return {"read": os.read(first, 1).decode() if number == 1 else ""}

        self.assertEqual(dict(run_processes(2, meet, LONG))[1], {"read": "0"})

    def test_they_meet(self):
        reader, writer = os.pipe()

        def come_late(number):
            if number == 1:
                time.sleep(0.2)
                os.write(writer, b"1")
            meet_others()
            return {"other is there": bool(select.select([reader], [], [], 0)[0])}

        for number in range(2):
            self.assertEqual(dict(run_processes(2, come_late, LONG))[number], {"other is there": True})

    def test_nobody_waits_long_for_one_that_does_not_come(self):
        results = run_processes(2, lambda number: meet_others(0.1) or {} if number else {}, LONG)
        self.assertEqual(sorted(results), [(0, {}), (1, {})])

    def test_who_fails_first_comes_first_and_ends_at_once(self):
        reader, writer = os.pipe()

        def fail_or_wait(number):
            if number == 1:
                os.write(writer, str(os.getpid()).encode())
                return {"failed": True, "why": "its own"}
            peer = os.pidfd_open(int(os.read(reader, 16)))
            has_ended = bool(select.select([peer], [], [], LONG / 2)[0])
            return {"failed": True, "why": "the other ended" if has_ended else "time"}

        results = run_processes(2, fail_or_wait, LONG)
        self.assertEqual([number for number, _ in results], [1, 0])
        self.assertEqual(results[1][1]["why"], "the other ended")

    def test_one_that_dies_says_of_what(self):
        def die(number):
            if number == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            return {}

        results = dict(run_processes(2, die, LONG))
        self.assertEqual(results[1], {"failed": True, "status": -signal.SIGKILL})

    def test_an_exception_is_a_death_with_status_1(self):
        def throw(number):
            raise ArithmeticError("as asked to")

        results = run_processes(1, throw, LONG)
        self.assertEqual(results, [(0, {"failed": True, "status": 1})])

    def test_who_never_answers_is_killed(self):
        def sleep(number):
            time.sleep(LONG if number == 0 else 0)
            return {}

        begin = time.monotonic()
        results = dict(run_processes(2, sleep, 0.5))
        self.assertLess(time.monotonic() - begin, LONG / 2)
        late = {"failed": True, "status": -signal.SIGKILL, "late": True}
        self.assertEqual(results, {0: late, 1: {}})

    def test_who_never_answers_behind_a_failure_is_killed_sooner(self):
        def sleep(number):
            time.sleep(LONG if number == 0 else 0)
            return {"failed": True}

        begin = time.monotonic()
        (first, second) = run_processes(2, sleep, LONG, aftermath=0.3)
        self.assertLess(time.monotonic() - begin, LONG / 2)
        self.assertEqual(first, (1, {"failed": True}))
        self.assertTrue(second[1]["late"])

    def test_who_has_answered_stays_for_the_others(self):
        reader, writer = os.pipe()

        def look(number):
            if number == 0:
                os.write(writer, str(os.getpid()).encode())
                return {}
            peer = os.pidfd_open(int(os.read(reader, 16)))
            return {"is_there": not select.select([peer], [], [], 0.3)[0]}

        self.assertEqual(dict(run_processes(2, look, LONG))[1], {"is_there": True})

    def test_no_process_is_left(self):
        run_processes(4, lambda number: {}, LONG)
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    def test_none_is_left_when_the_parent_is_killed(self):
        reader, writer = os.pipe()

        def hang(number):
            os.write(writer, os.getpid().to_bytes(8, "big"))
            time.sleep(LONG)

        parent = os.fork()
        if parent == 0:
            run_processes(2, hang, LONG)
            os._exit(0)
        numbers = [int.from_bytes(os.read(reader, 8), "big") for _ in range(2)]
        ends = [os.pidfd_open(number) for number in numbers]
        os.kill(parent, signal.SIGKILL)
        os.waitpid(parent, 0)
        for end in ends:
            self.assertTrue(select.select([end], [], [], LONG / 2)[0])


if __name__ == "__main__":
    xml_unittest.main()
