"""Runs one program and says what came of it."""

import contextlib
import tempfile

from conformance.testees.python.environment import Environment
from conformance.testees.python.errors import ProgramError, StepError, Unsupported
from conformance.testees.python.interpreter import Interpreter
from conformance.testees.python.worker_steps import ended_workers
from conformance.testees.python.workers import ask_workers

MOST_REPLICAS = 64  # operations.md
MOST_SERVERS = 8

# What programs made whose process is theirs: it ends with the process at once, where
# taken apart it may wait for threads of its framework.
_LASTING = []


def answer(testee, request):
    """The reply to a `run` request, without its number. Raises ProgramError.

    Files go where `folder` of the request says, else into a folder of the program's own.
    """
    try:
        return {"observations": _observations(testee, request)}
    except StepError as error:
        failure = {"class": error.error_class, "message": error.message, "at_step": error.step}
        return {"error": failure}
    except Unsupported as error:
        return _unsupported(error)


def answer_of_workers(testee, request):
    """The same of a request that several workers answer."""
    if reply := reply_for_unsupported(testee, request["program"]):
        return reply
    try:
        environments = testee.worker_environments(request["given"])
    except Unsupported as error:
        return _unsupported(error)
    ended = ended_workers(request["program"])
    return ask_workers(environments, lambda: answer(testee, request), ended)


def check_given(given, most_workers):
    """Raises ProgramError for more than operations.md allows, or the testee declares."""
    limits = dict.fromkeys(("replicas", "logical_devices"), MOST_REPLICAS)
    for count, most in (limits | {"workers": most_workers, "servers": MOST_SERVERS}).items():
        if count in given and not 1 <= given[count] <= most:
            raise ProgramError(f"{count} is 1 to {most}, got {given[count]}")


def reply_for_unsupported(testee, program):
    """The reply to a program with a step that the testee does not support; None to others."""
    try:
        Interpreter(testee, folder=None).check_steps(program)
    except Unsupported as error:
        return _unsupported(error)
    return None


def _unsupported(error):
    return {"unsupported": {"step": error.step, "reason": error.reason}}


def _observations(testee, request):
    program = request["program"]
    with _folder_of(request) as folder:
        interpreter = Interpreter(testee, folder)
        interpreter.check_steps(program)
        with testee.given(request["given"]) as names:
            environment = Environment(part_of=testee.part_of)
            for name, value in names.items():
                environment.bind(name, value)
            if testee.forks:
                _LASTING.append(environment)
            interpreter.run(program, environment)
            return environment.observations


def _folder_of(request):
    if folder := request.get("folder"):
        return contextlib.nullcontext(folder)
    return tempfile.TemporaryDirectory(prefix="lockstep-")
