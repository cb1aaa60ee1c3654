import os
import select
import signal
import time
import unittest

from conformance.testees.pytorch_ddp.rank_group import run_ranks
from tools import xml_unittest

LONG = 60


class RunRanksTest(unittest.TestCase):
    def test_every_rank_answers_once(self):
        results = run_ranks(3, lambda rank: {"rank": rank}, LONG)
        self.assertEqual(sorted(results), [(r, {"rank": r}) for r in range(3)])

    def test_ranks_run_at_once_and_apart(self):
        first, second = os.pipe()

        def meet(rank):
            if rank == 0:
                os.write(second, b"0")
            return {"read": os.read(first, 1).decode() if rank == 1 else ""}

        self.assertEqual(dict(run_ranks(2, meet, LONG))[1], {"read": "0"})

    def test_who_fails_first_comes_first_and_ends_at_once(self):
        reader, writer = os.pipe()

        def fail_or_wait(rank):
            if rank == 1:
                os.write(writer, str(os.getpid()).encode())
                return {"failed": True, "why": "its own"}
            peer = os.pidfd_open(int(os.read(reader, 16)))
            has_ended = bool(select.select([peer], [], [], LONG / 2)[0])
            return {"failed": True, "why": "the other ended" if has_ended else "time"}

        results = run_ranks(2, fail_or_wait, LONG)
        self.assertEqual([rank for rank, _ in results], [1, 0])
        self.assertEqual(results[1][1]["why"], "the other ended")

    def test_a_rank_that_dies_says_of_what(self):
        def die(rank):
            if rank == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            return {}

        results = dict(run_ranks(2, die, LONG))
        self.assertEqual(results[1], {"failed": True, "status": -signal.SIGKILL})

    def test_an_exception_is_a_death_with_status_1(self):
        def throw(rank):
            raise ArithmeticError("as asked to")

        results = run_ranks(1, throw, LONG)
        self.assertEqual(results, [(0, {"failed": True, "status": 1})])

    def test_who_never_answers_is_killed(self):
        def sleep(rank):
            time.sleep(LONG if rank == 0 else 0)
            return {}

        begin = time.monotonic()
        results = dict(run_ranks(2, sleep, 0.5))
        self.assertLess(time.monotonic() - begin, LONG / 2)
        self.assertEqual(results[0], {"failed": True, "status": -signal.SIGKILL})
        self.assertEqual(results[1], {})

    def test_no_process_is_left(self):
        run_ranks(4, lambda rank: {}, LONG)
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)


if __name__ == "__main__":
    xml_unittest.main()
