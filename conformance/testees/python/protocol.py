"""The testee's side of the pipe protocol, version 1: JSON lines on stdin and stdout."""

import json
import os
import sys

from conformance.testees.python.child_process import call_in_child

VERSION = 1


class ProtocolError(Exception):
    """The runner said something that is not the protocol."""


def serve(testee):
    """Answers the runner until it says `stop`; gives the exit status.

        sys.exit(serve(MyTestee()))

    Takes stdout for the protocol alone: what the framework or a step prints goes to
    stderr. Raises ProtocolError; ProgramError for a program that makes no sense.
    """
    replies = reserve_stdout()
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
    if testee.forks:
        reply = call_in_child(lambda: testee.answer(message))
    else:
        reply = testee.answer(message)
    return {"seq": message["seq"], **reply}


def introduction(testee):
    """What the testee says of itself."""
    return {
        "version": VERSION,
        "name": testee.name,
        "implementation": testee.implementation,
        "language": "python",
        "devices": list(testee.devices),
        "conventions": testee.conventions,
        "steps": testee.steps.names(),
    }
