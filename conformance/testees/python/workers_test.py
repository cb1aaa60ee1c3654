"""Programs of several workers: their replies as one, and what becomes of a failure."""

import contextlib
import os
import signal
import time
import unittest

from conformance.testees.python import protocol
from conformance.testees.python.errors import ProgramError, Unsupported
from conformance.testees.python.miniature_testee import Miniature, Number
from conformance.testees.python.worker_steps import ended_workers
from conformance.testees.python.workers import ask_workers, free_addresses, merged
from tools import xml_unittest

LONG = 60


def observed(value):
    return {"observations": {"x": value}}


def failed(error_class, message=""):
    return {"error": {"class": error_class, "message": message, "at_step": "a.step"}}


class MergedTest(unittest.TestCase):
    def test_an_observation_is_a_list_with_an_entry_a_worker(self):
        replies = [{"observations": {"x": [n], "y": None}} for n in range(3)]
        expected = {"x": [[0], [1], [2]], "y": [None, None, None]}
        self.assertEqual(merged(replies), {"observations": expected})
        self.assertEqual(merged([{"observations": {}}]), {"observations": {}})

    def test_an_error_of_one_is_an_error_of_all(self):
        self.assertEqual(merged([observed(1), failed("OutOfRange")]), failed("OutOfRange"))

    def test_of_several_errors_the_lowest_worker_s_that_is_no_consequence(self):
        for consequence in ("Unavailable", "Cancelled", "DeadlineExceeded"):
            with self.subTest(consequence):
                replies = [failed(consequence), failed("DataLoss", "1"), failed("DataLoss", "2")]
                self.assertEqual(merged(replies), failed("DataLoss", "1"))

    def test_where_all_are_consequences_the_lowest_worker_s(self):
        replies = [observed(1), failed("Cancelled"), failed("Unavailable")]
        self.assertEqual(merged(replies), failed("Cancelled"))

    def test_what_one_lacks_all_lack(self):
        unsupported = {"unsupported": {"step": "a.step", "reason": "of one"}}
        self.assertEqual(merged([failed("Internal"), unsupported]), unsupported)


class AddressesTest(unittest.TestCase):
    def test_each_has_a_port_of_its_own(self):
        ports = [address.removeprefix("127.0.0.1:") for address in free_addresses(8)]
        self.assertEqual(len(set(map(int, ports))), 8)


class AskWorkersTest(unittest.TestCase):
    """Workers are numbered by W."""

    def ask(self, *functions, **limits):
        """Worker n does functions[n]."""
        environments = [{"W": str(number)} for number in range(len(functions))]
        return ask_workers(environments, lambda: functions[int(os.environ["W"])](), **limits)  # noqa: PLW0108

    def assert_error(self, reply, error_class, words):
        error = reply["error"]
        self.assertEqual((error["class"], error["at_step"]), (error_class, "testee"), error)
        self.assertIn(words, error["message"])

    def test_replies_stand_in_the_order_of_the_workers(self):
        def late():
            time.sleep(0.2)
            return observed("late")

        reply = self.ask(late, lambda: observed("soon"), lambda: observed(os.environ["W"]))
        self.assertEqual(reply, observed(["late", "soon", "2"]))
        self.assertNotIn("W", os.environ)

    def test_a_worker_that_the_program_ends_observes_nothing(self):
        def die():
            os.kill(os.getpid(), signal.SIGKILL)

        def outlive():
            time.sleep(0.2)
            return observed("there")

        self.assertEqual(self.ask(die, outlive, ended={0}, aftermath=0.05), observed([None, "there"]))
        self.assert_error(self.ask(die, outlive, ended={1}), "Internal", "worker 0 ended by SIGKILL")
        self.assert_error(self.ask(lambda: os._exit(3), outlive, ended={0}), "Internal", "status 3")

    def test_who_ends_with_one_that_the_program_ends_is_told_so(self):
        def end_later():
            time.sleep(0.2)
            os._exit(1)

        reply = self.ask(lambda: os.kill(os.getpid(), signal.SIGKILL), end_later, ended={0})
        self.assert_error(reply, "Unavailable", "worker 1 ended by status 1")

    def test_who_is_ended_stands_in_the_program(self):
        block = [{"step": "worker.end", "worker": 2}]
        program = [{"step": "program.try", "program": block}, {"step": "program.pause", "worker": 1, "seconds": 1}]
        self.assertEqual(ended_workers(program), {2})

    def test_an_error_of_the_testee_s_own_is_told(self):
        def raise_():
            raise ProgramError("no program")

        reply = self.ask(lambda: observed(1), raise_)
        self.assert_error(reply, "Internal", "ProgramError: no program")

    def test_one_that_ends_without_an_answer(self):
        reply = self.ask(lambda: observed(1), lambda: os._exit(3))
        self.assert_error(reply, "Internal", "worker 1 ended by status 3")
        reply = self.ask(lambda: os.kill(os.getpid(), signal.SIGABRT), lambda: observed(1))
        self.assert_error(reply, "Internal", "worker 0 ended by SIGABRT")

    def test_one_that_ends_because_another_failed(self):
        def end():
            time.sleep(0.3)
            os._exit(6)

        self.assertEqual(self.ask(end, lambda: failed("DataLoss")), failed("DataLoss"))

    def test_one_that_hangs(self):
        reply = self.ask(lambda: observed(1), lambda: time.sleep(LONG), deadline=0.3)
        self.assert_error(reply, "DeadlineExceeded", "worker 1 gave no answer in time")

    def test_one_that_hangs_behind_another_s_error(self):
        begin = time.monotonic()
        reply = self.ask(lambda: time.sleep(LONG), lambda: failed("DataLoss"), aftermath=0.3)
        self.assertEqual(reply, failed("DataLoss"))
        self.assertLess(time.monotonic() - begin, LONG / 2)


class Team(Miniature):
    workers = 4

    def worker_environments(self, given):
        if given["replicas"] == 5:
            raise Unsupported("it has no five replicas", "strategy.create")
        return [{"TEAM": f"{n} of {given['workers']}"} for n in range(given["workers"])]

    @contextlib.contextmanager
    def given(self, given):
        yield {"own": os.environ["TEAM"], "replicas": Number(given["replicas"])}


class ReplyTest(unittest.TestCase):
    def reply(self, *program, forks=False, **given):
        given = {"strategy": "multi_worker_mirrored", "workers": 2, "replicas": 1} | given
        message = {"cmd": "run", "seq": 5, "token": "c", "given": given, "program": program}
        return protocol.reply_to(Team(forks), message)

    def test_each_worker_runs_the_program(self):
        for forks in (False, True):
            with self.subTest(forks=forks):
                show = {"observe": "x", "step": "value.show", "of": {"a": "own", "b": "replicas"}}
                reply = self.reply(show, forks=forks, workers=3, replicas=7)
                seen = [{"a": f"{n} of 3", "b": 7} for n in range(3)]
                self.assertEqual(reply, {"seq": 5, **observed(seen)})

    def test_what_is_lacking_is_told(self):
        unsupported = self.reply({"step": "strategy.gather"})["unsupported"]
        self.assertEqual(unsupported["reason"], "a miniature gathers nothing")
        unsupported = self.reply({"step": "value.fail"}, replicas=5)["unsupported"]
        self.assertEqual(unsupported, {"step": "strategy.create", "reason": "it has no five replicas"})

    def test_more_workers_than_declared_are_refused(self):
        for workers in (0, 5):
            error = self.reply(workers=workers)["error"]
            self.assertIn(f"workers is 1 to 4, got {workers}", error["message"])

    def test_a_testee_declares_its_workers(self):
        self.assertEqual(protocol.introduction(Team())["workers"], 4)
        self.assertNotIn("workers", protocol.introduction(Miniature()))


if __name__ == "__main__":
    xml_unittest.main()
