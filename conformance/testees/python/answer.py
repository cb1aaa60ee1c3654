"""Runs one program and says what came of it."""

import tempfile

from conformance.testees.python.environment import Environment
from conformance.testees.python.errors import ProgramError, StepError, Unsupported
from conformance.testees.python.interpreter import Interpreter

MOST_REPLICAS = 64  # operations.md


def answer(testee, request):
    """The reply to a `run` request, without its number. Raises ProgramError."""
    try:
        return {"observations": _observations(testee, request)}
    except StepError as error:
        failure = {
            "class": error.error_class,
            "message": error.message,
            "at_step": error.step,
        }
        return {"error": failure}
    except Unsupported as lack:
        return _lacking(lack)


def check_given(given):
    """Raises ProgramError for more than operations.md allows."""
    for count in ("replicas", "logical_devices"):
        if not 1 <= given.get(count, 1) <= MOST_REPLICAS:
            raise ProgramError(f"{count} is 1 to {MOST_REPLICAS}, got {given[count]}")


def reply_for_lack(testee, program):
    """The reply to a program with a step that the testee lacks; None to others."""
    try:
        Interpreter(testee, folder=None).check_steps(program)
    except Unsupported as lack:
        return _lacking(lack)
    return None


def _lacking(lack):
    return {"unsupported": {"step": lack.step, "reason": lack.reason}}


def _observations(testee, request):
    program = request["program"]
    with tempfile.TemporaryDirectory(prefix="lockstep-") as folder:
        interpreter = Interpreter(testee, folder)
        interpreter.check_steps(program)
        with testee.given(request["given"]) as names:
            environment = Environment(part_of=testee.part_of)
            for name, value in names.items():
                environment.bind(name, value)
            interpreter.run(program, environment)
            return environment.observations
