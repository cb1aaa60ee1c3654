"""Ranks as threads, and values that differ by rank."""
import os
import select
import signal
import time
import unittest

from conformance.testees.pytorch_ddp.per_rank import (
    PerRank,
    local_part,
    mark,
    merged,
    spread,
)
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


class MergedTest(unittest.TestCase):
    def test_marked_parts_stand_side_by_side(self):
        self.assertEqual(merged([{"x": mark(1)}, {"x": mark(2)}]), {"x": [1, 2]})

    def test_one_rank_gives_a_list_too(self):
        self.assertEqual(merged([{"x": mark([7])}]), {"x": [[7]]})

    def test_rank_0_speaks_for_what_is_not_marked(self):
        self.assertEqual(merged([{"x": 1}, {"x": 2}]), {"x": 1})

    def test_parts_are_found_in_rounds_and_structures(self):
        observations = [
            {"x": [{"a": mark(rank), "b": 5}, {"a": mark(rank + 10), "b": 6}]}
            for rank in range(2)
        ]
        expected = {"x": [{"a": [0, 1], "b": 5}, {"a": [10, 11], "b": 6}]}
        self.assertEqual(merged(observations), expected)

    def test_parts_may_differ_in_length(self):
        self.assertEqual(merged([mark([1, 2]), mark([])]), [[1, 2], []])

    def test_a_rank_has_nothing_in_rounds_that_it_did_not_make(self):
        observations = [
            {"x": [{"a": mark(1), "b": 5}, {"a": mark(2), "b": 6}], "y": [mark(3)]},
            {"x": [{"a": mark(10), "b": 5}], "y": [mark(4), mark([7])]},
        ]
        expected = {
            "x": [{"a": [1, 10], "b": 5}, {"a": [2, None], "b": 6}],
            "y": [[3, 4], [None, [7]]],
        }
        self.assertEqual(merged(observations), expected)

    def test_nothing_is_nothing(self):
        self.assertEqual(merged([mark(None), mark(None)]), [None, None])


class LocalPartTest(unittest.TestCase):
    def test_structures_are_taken_apart_and_put_together(self):
        own = {"a": 1, "b": (2, None)}
        self.assertEqual(local_part(spread(own)), own)

    def test_what_does_not_differ_stays(self):
        self.assertEqual(local_part([PerRank(1), 2]), [1, 2])

    def test_leaves_differ_not_structures(self):
        self.assertIsInstance(spread({"a": 1})["a"], PerRank)


if __name__ == "__main__":
    xml_unittest.main()
