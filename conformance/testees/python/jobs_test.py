"""Programs of jobs: what each has, what they share, and which of them answers."""

import os
import unittest

from conformance.testees.python.errors import ProgramError
from conformance.testees.python.jobs import answer_jobs, has_jobs
from conformance.testees.python.miniature_testee import Miniature, Number
from conformance.testees.python.protocol import reply_to
from conformance.testees.python.step_table import StepTable
from tools import xml_unittest

steps = StepTable(Miniature.steps)


@steps.step("file.write_text")
def write_text(call):
    with open(call.path(call.argument("path")), "w") as stream:
        stream.write("text")


@steps.step("process.number")
def number_of_process(call):
    return Number(os.getpid())


@steps.step("program.folder")
def folder(call):
    return call.path(".")


class Worker(Miniature):
    steps = steps


def job(*program, replicas=2):
    return {"step": "job.run", "replicas": replicas, "program": list(program)}


def request(*program, replicas=4):
    return {"given": {"strategy": "mirrored", "replicas": replicas}, "program": list(program)}


def reply(*program):
    return answer_jobs(Worker(), request(*program))


def observed(*program):
    return reply(*program)["observations"]


def show(name, of):
    return {"observe": name, "step": "value.show", "of": of}


WRITE = {"step": "file.write_text", "path": "a"}
FILES = {"observe": "files", "step": "file.list", "folder": "."}
FAIL = {"step": "strategy.run", "program": [{"step": "value.fail"}]}


class HasJobsTest(unittest.TestCase):
    def test_a_program_is_jobs_or_steps(self):
        self.assertTrue(has_jobs([job(), job()]))
        self.assertFalse(has_jobs([WRITE, FILES]))
        self.assertFalse(has_jobs([]))

    def test_a_program_is_not_both(self):
        with self.assertRaises(ProgramError):
            has_jobs([job(), WRITE])


class AnswerJobsTest(unittest.TestCase):
    def test_each_has_its_replicas(self):
        first, second = show("first", "strategy"), show("second", "strategy")
        self.assertEqual(observed(job(first, replicas=3), job(second, replicas=1)), {"first": 3, "second": 1})

    def test_replicas_are_at_most_those_given(self):
        for replicas in (0, 5):
            with self.subTest(replicas), self.assertRaises(ProgramError):
                reply(job(replicas=replicas))

    def test_each_is_a_process_of_its_own(self):
        names = ("first", "second")
        numbers = [{"observe": name, "step": "process.number"} for name in names]
        found = observed(*(job(number) for number in numbers))
        self.assertEqual(len({os.getpid(), *found.values()}), 3)

    def test_what_an_earlier_one_bound_is_gone(self):
        bind = {"let": "x", "step": "value.constant", "value": 1}
        found = reply(job(bind), job(show("x", "x")))
        self.assertEqual(found["error"]["class"], "Internal")
        self.assertIn("x", found["error"]["message"])

    def test_they_share_the_programs_folder(self):
        self.assertEqual(observed(job(WRITE), job(FILES)), {"files": ["a"]})

    def test_the_folder_is_the_programs_own_and_goes_with_it(self):
        look = job({"observe": "folder", "step": "program.folder"})
        folders = [observed(look)["folder"] for _ in range(2)]
        self.assertNotEqual(*folders)
        self.assertEqual([os.path.exists(one) for one in folders], [False, False])

    def test_the_first_that_fails_is_the_reply(self):
        with self.subTest("an error"):
            found = reply(job(show("x", "strategy")), job(FAIL))
            self.assertEqual(found["error"]["at_step"], "value.fail")
        with self.subTest("unsupported"):
            found = reply(job({"step": "strategy.gather"}), job(FAIL))
            self.assertEqual(found["unsupported"]["step"], "strategy.gather")

    def test_none_is_run_behind_one_that_fails(self):
        reader, writer = os.pipe()
        os.set_blocking(reader, False)

        class Telling(Worker):
            def answer(self, request):
                os.write(writer, str(request["given"]["replicas"]).encode())
                return super().answer(request)

        answer_jobs(Telling(), request(job(FAIL, replicas=1), job(replicas=2)))
        self.assertEqual(os.read(reader, 16), b"1")


class ProtocolTest(unittest.TestCase):
    def reply_to(self, *program):
        message = {"cmd": "run", "seq": 7, "token": "t"} | request(*program)
        return reply_to(Worker(), message)

    def test_a_run_of_jobs_is_answered(self):
        found = self.reply_to(job(show("replicas", "strategy"), replicas=3))
        self.assertEqual(found, {"seq": 7, "observations": {"replicas": 3}})

    def test_a_program_of_both_and_a_job_in_a_block_make_no_sense(self):
        nested = {"step": "program.repeat", "times": 1, "program": [job()]}
        for program in ([job(), WRITE], [nested], [job(job())]):
            with self.subTest(program):
                found = self.reply_to(*program)["error"]
                self.assertEqual((found["class"], found["at_step"]), ("Internal", "testee"))


if __name__ == "__main__":
    xml_unittest.main()
