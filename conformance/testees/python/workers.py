"""Programs that several workers run: docs/protocol.md, "Several workers".

A worker is a process forked from the testee, which has imported its framework and made
nothing with it. By its environment it is told of the others, as a launcher would tell it.
"""

import contextlib
import os
import signal
import socket

from conformance.testees.python.failure import failure, told_of_errors
from conformance.testees.python.process_group import AFTERMATH, run_processes

PROGRAM_DEADLINE = 50  # seconds; below what the runner waits for the whole
# What a worker reports that was told of another's failure.
CONSEQUENCES = ("Cancelled", "Unavailable", "DeadlineExceeded")


def free_addresses(count):
    """Addresses of this machine, each with a port that is free now."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return ["{}:{}".format(*one.getsockname()) for one in sockets]


def ask_workers(environments, answer, deadline=PROGRAM_DEADLINE, aftermath=AFTERMATH):
    """What answer() replies on workers, one in each of the environments, as one reply.

    One that has failed is ended at once, so that those which wait for it notice; when this
    returns none is left. One that gave no answer in time (run_processes) has failed by
    DeadlineExceeded; one that ended without by Internal, or by Unavailable where another
    had failed before.
    """

    def be_worker(number):
        os.environ |= environments[number]
        reply = told_of_errors(answer)
        return {"failed": "observations" not in reply, **reply}

    results = run_processes(len(environments), be_worker, deadline, aftermath)
    replies, others_failed = {}, False
    for number, result in results:
        replies[number] = _reply_of(number, result, others_failed)
        others_failed = others_failed or "observations" not in replies[number]
    return merged([replies[number] for number in range(len(environments))])


def merged(replies):
    """One reply of those of all workers, which stand in their order."""
    for reply in replies:
        if "unsupported" in reply:
            return reply
    failures = [reply for reply in replies if "error" in reply]
    causes = [one for one in failures if one["error"]["class"] not in CONSEQUENCES]
    if failures:
        return (causes or failures)[0]
    every = [reply["observations"] for reply in replies]
    return {"observations": {name: [one[name] for one in every] for name in every[0]}}


def _reply_of(number, result, others_failed):
    if "status" not in result:
        return {key: part for key, part in result.items() if key != "failed"}
    if "late" in result:
        return failure("DeadlineExceeded", f"worker {number} gave no answer in time")
    status = result["status"]
    how = f"status {status}" if status >= 0 else signal.Signals(-status).name
    error_class = "Unavailable" if others_failed else "Internal"
    return failure(error_class, f"worker {number} ended by {how} without an answer")
