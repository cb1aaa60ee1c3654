"""The testee's side of the pipe protocol, version 1: JSON lines on stdin and stdout."""

import gc
import json
import os
import sys

from conformance.testees.python.answer import check_given
from conformance.testees.python.child_process import call_in_child
from conformance.testees.python.failure import failure, reply_or_failure
from conformance.testees.python.jobs import answer_jobs, has_jobs

VERSION = 1
LONGEST_MESSAGE = 16 << 20  # docs/protocol.md


class ProtocolError(Exception):
    """The runner said something that is not the protocol."""


def serve(testee):
    """Answers the runner until it says `stop`; gives the exit status.

        sys.exit(serve(MyTestee()))

    Takes stdout for the protocol alone: what the framework or a step prints goes to
    stderr. Raises ProtocolError.
    """
    replies = reserve_stdout()
    gc.freeze()  # what was imported is no garbage: no child looks through it, or copies it
    for line in sys.stdin:
        message = json.loads(line)
        if message["cmd"] == "stop":
            return 0
        reply = reply_to(testee, message)
        replies.write(json.dumps(reply, allow_nan=False) + "\n")
        replies.flush()
    return 1  # the runner went away


def reserve_stdout():
    """A stream to what stdout was; stdout itself becomes stderr from now on."""
    sys.stdout.flush()
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return replies


def reply_to(testee, message):
    """The reply to a `start` or `run` message."""
    if message["cmd"] == "start":
        return introduction(testee)
    if message["cmd"] != "run":
        raise ProtocolError(f"[serve] cmd is start, run or stop, got {message['cmd']}")

    def reply():
        return _sendable({"seq": message["seq"], **_answer(testee, message)})

    return call_in_child(reply) if testee.forks else reply()


def _answer(testee, message):
    def answer():
        check_given(message["given"], testee.workers)
        if has_jobs(message["program"]):
            return answer_jobs(testee, message)
        return testee.answer(message)

    return reply_or_failure(answer)


def _sendable(reply):
    """The reply, or the error that stands for one that no message can hold."""
    try:
        length = len(json.dumps(reply, allow_nan=False))
    except ValueError as error:
        return {"seq": reply["seq"], **failure("Internal", str(error))}
    if length <= LONGEST_MESSAGE:
        return reply
    what = f"the reply has {length} bytes, a message has at most {LONGEST_MESSAGE}"
    return {"seq": reply["seq"], **failure("ResourceExhausted", what)}


def introduction(testee):
    """What the testee says of itself."""
    own_workers = {"workers": testee.workers} if testee.workers else {}
    return {
        "version": VERSION,
        "name": testee.name,
        "implementation": testee.implementation,
        "language": "python",
        "devices": list(testee.devices),
        "conventions": testee.conventions,
        "steps": testee.steps.names(),
        **own_workers,
    }
