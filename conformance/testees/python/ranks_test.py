"""Testees whose replicas are processes: what each rank reads, and what all of them reply."""

import os
import signal
import tempfile
import unittest

from conformance.testees.python import program_steps, value_steps, worker_steps
from conformance.testees.python.errors import Unsupported
from conformance.testees.python.miniature_testee import Number
from conformance.testees.python.per_rank import PerRank
from conformance.testees.python.process_group import meet_others
from conformance.testees.python.ranks import RENDEZVOUS, RankedTestee
from conformance.testees.python.step_table import StepTable
from tools import xml_unittest

steps = StepTable(program_steps.steps, value_steps.steps, worker_steps.steps)
steps.unsupported("strategy.gather", "a miniature gathers nothing")


@steps.step("rank.number")
def number(call):
    return PerRank(Number(own_rank()))


@steps.step("rank.parts")
def parts(call):
    return PerRank({"number": Number(own_rank()), "pair": [Number(0), Number(own_rank())]})


@steps.step("rank.variable")
def variable(call):
    return os.environ[call.argument("name")]


@steps.step("rank.process")
def process(call):
    return PerRank(os.getpid())


@steps.step("rank.began")
def began(call):
    return PerRank(call.testee.began)


@steps.step("rank.folder")
def folder(call):
    return PerRank(call.path("."))


@steps.step("rank.fail")
def fail(call):
    if own_rank() in call.argument("ranks"):
        raise ArithmeticError(f"on rank {own_rank()}")


@steps.step("rank.refuse")
def refuse(call):
    if own_rank() == call.argument("rank"):
        raise Unsupported("not on this rank")


@steps.step("rank.die")
def die(call):
    if own_rank() == call.argument("rank"):
        os.kill(os.getpid(), signal.SIGTERM)


@steps.step("rank.meet")
def meet(call):
    meet_others()


def own_rank():
    return int(os.environ["RANK"])


class Ranks(RankedTestee):
    name = "ranks"
    steps = steps
    workers = 4
    began = 0

    def begin_rank(self):
        self.began += 1

    def literal(self, literal, dtype):
        return Number(literal, dtype)

    def plain_of_rank(self, value):
        return value.value if isinstance(value, Number) else NotImplemented

    def error_class(self, error):
        return "InvalidArgument" if isinstance(error, ArithmeticError) else "Internal"


def reply(*program, replicas=3, workers=None, **more):
    given = {"strategy": "mirrored", "replicas": replicas}
    given |= {} if workers is None else {"workers": workers}
    return Ranks().answer({"given": given, "program": list(program), **more})


def observed(*program, **given):
    return reply(*program, **given)["observations"]


def observe(step, **arguments):
    return {"observe": "x", "step": step, **arguments}


NUMBER = {"let": "n", "step": "rank.number"}
PARTS = {"let": "p", "step": "rank.parts"}


class ObservationsTest(unittest.TestCase):
    def test_what_differs_is_told_by_all(self):
        self.assertEqual(observed(observe("rank.number")), {"x": [0, 1, 2]})

    def test_of_one_rank_too(self):
        self.assertEqual(observed(observe("rank.number"), replicas=1), {"x": [0]})

    def test_what_does_not_is_told_by_the_first(self):
        self.assertEqual(observed(observe("rank.variable", name="RANK")), {"x": "0"})

    def test_a_part_of_what_differs_differs(self):
        every = {"p.number": [0, 1, 2], "p.pair.1": [0, 1, 2], "p.pair.0": [0, 0, 0]}
        for path, expected in every.items():
            with self.subTest(path):
                self.assertEqual(observed(PARTS, observe("value.show", of=path)), {"x": expected})

    def test_rounds_stand_around_the_ranks(self):
        repeat = {"step": "program.repeat", "times": 2, "program": [observe("rank.number")]}
        self.assertEqual(observed(repeat, replicas=2), {"x": [[0, 1], [0, 1]]})

    def test_each_rank_is_a_process_that_began_once(self):
        found = observed(observe("rank.process"))["x"]
        self.assertEqual(len({os.getpid(), *found}), 4)
        self.assertEqual(observed(observe("rank.began")), {"x": [1, 1, 1]})


class LaunchTest(unittest.TestCase):
    def variable(self, name, **given):
        step = {"let": "v", "step": "rank.variable", "name": name}
        return observed(step, observe("value.show", of="v"), **given)["x"]

    def test_a_rank_is_told_how_many_there_are(self):
        expected = {"WORLD_SIZE": "3", "LOCAL_WORLD_SIZE": "3", "GROUP_WORLD_SIZE": "1"}
        for name, value in expected.items():
            self.assertEqual(self.variable(name), value, name)

    def test_several_workers_are_nodes(self):
        expected = {
            "WORLD_SIZE": ["4", "4"],
            "RANK": ["0", "2"],
            "LOCAL_RANK": ["0", "0"],
            "GROUP_RANK": ["0", "1"],
            "LOCAL_WORLD_SIZE": ["2", "2"],
            "GROUP_WORLD_SIZE": ["2", "2"],
        }
        for name, values in expected.items():
            self.assertEqual(self.variable(name, replicas=2, workers=2), values, name)

    def test_they_meet_at_one_place_which_is_another_next_time(self):
        for name in ("MASTER_PORT", RENDEZVOUS):
            with self.subTest(name):
                places = [self.variable(name, replicas=1, workers=2) for _ in range(2)]
                self.assertEqual([len(set(place)) for place in places], [1, 1])
                self.assertNotEqual(*places)

    def test_they_are_not_told_in_this_process(self):
        observed(observe("rank.number"))
        self.assertNotIn("WORLD_SIZE", os.environ)

    def test_ranks_of_one_machine_share_a_folder(self):
        found = observed(observe("rank.folder"))["x"]
        self.assertEqual(len(set(found)), 1)
        self.assertFalse(os.path.exists(found[0]))

    def test_workers_have_one_each(self):
        found = observed(observe("rank.folder"), replicas=1, workers=2)["x"]
        self.assertEqual(len({folder for (folder,) in found}), 2)

    def test_a_folder_that_is_given_stays(self):
        with tempfile.TemporaryDirectory() as given:
            found = observed(observe("rank.folder"), folder=given)["x"]
            self.assertEqual(found, [given] * 3)
            self.assertTrue(os.path.exists(given))


class FailureTest(unittest.TestCase):
    def test_an_error_of_one_is_the_reply(self):
        error = reply({"step": "rank.fail", "ranks": [1]})["error"]
        self.assertEqual((error["class"], error["at_step"]), ("InvalidArgument", "rank.fail"))

    def test_the_first_error_is_the_reply(self):
        early, late = ({"step": "rank.fail", "ranks": ranks} for ranks in ([2], [0, 1]))
        pause = {"step": "program.pause", "seconds": 0.5}
        error = reply({"step": "rank.meet"}, early, pause, late)["error"]
        self.assertIn("on rank 2", error["message"])

    def test_a_rank_that_dies_is_an_error(self):
        error = reply({"step": "rank.die", "rank": 2})["error"]
        self.assertEqual((error["class"], error["at_step"]), ("Internal", ""))
        self.assertIn(str(-signal.SIGTERM), error["message"])

    def test_an_error_that_is_caught_is_the_ranks_own(self):
        failing = [{"step": "rank.fail", "ranks": [0, 1, 2]}]
        program = [observe("program.try", program=failing), NUMBER]
        shown = {"observe": "n", "step": "value.show", "of": "n"}
        self.assertEqual(observed(*program, shown), {"x": "InvalidArgument", "n": [0, 1, 2]})

    def test_a_lack_is_told_before_any_rank_begins(self):
        found = reply({"step": "rank.die", "rank": 0}, {"step": "strategy.gather"})
        self.assertEqual(found["unsupported"]["reason"], "a miniature gathers nothing")

    def test_a_lack_of_any_rank_is_the_reply(self):
        for rank in range(2):
            with self.subTest(rank):
                found = reply({"step": "rank.refuse", "rank": rank}, replicas=2)
                self.assertEqual(found["unsupported"]["reason"], "not on this rank")


class WorkersTest(unittest.TestCase):
    def test_each_worker_tells_of_its_ranks(self):
        found = observed(observe("rank.number"), replicas=2, workers=2)
        self.assertEqual(found, {"x": [[0, 1], [2, 3]]})

    def test_one_that_the_program_ends_tells_nothing(self):
        end = {"step": "worker.end", "worker": 1}
        found = observed(end, observe("rank.number"), replicas=2, workers=2)
        self.assertEqual(found, {"x": [[0, 1], None]})


if __name__ == "__main__":
    xml_unittest.main()
