"""worker.*: what becomes of one of several workers; the same for every framework."""

import os
import signal

from conformance.testees.python.errors import ProgramError
from conformance.testees.python.process_group import meet_others
from conformance.testees.python.step_table import StepTable
from conformance.testees.python.workers import NUMBER_VARIABLE

steps = StepTable()


def ended_workers(program):
    """The numbers of the workers that a program ends by worker.end, in a block or outside."""
    ended = set()
    for step in program:
        if step["step"] == "worker.end":
            ended.add(step["worker"])
        ended |= ended_workers(step.get("program", []))
    return ended


def is_worker(call):
    """Whether this process is the one of several workers that the step is about."""
    if NUMBER_VARIABLE not in os.environ:
        raise ProgramError("`worker` is one of several workers")
    return str(call.integer("worker")) == os.environ[NUMBER_VARIABLE]


@steps.step("worker.end")
def end(call):
    is_meant = is_worker(call)
    meet_others()
    if is_meant:
        os.kill(os.getpid(), signal.SIGKILL)
