"""Programs that several workers run: docs/protocol.md, "Several workers".

A worker is a process forked from the testee, which has imported its framework and made
nothing with it. Its environment names the others, as a launcher would set it.
"""

import os
import signal

from conformance.testees.python.failure import failure, reply_or_failure
from conformance.testees.python.process_group import AFTERMATH, run_processes
from processes.ports import free_ports

PROGRAM_DEADLINE = 50  # seconds; below what the runner waits for the whole
# Which worker a process is, for the steps of worker_steps.py.
NUMBER_VARIABLE = "LOCKSTEP_CONFORMANCE_WORKER"
# What a worker reports that was informed of another's failure.
CONSEQUENCES = ("Cancelled", "Unavailable", "DeadlineExceeded")
NOTHING = {"observations": {}}


def free_addresses(count):
    """Addresses of this machine, each with a port that is free now."""
    return [f"127.0.0.1:{port}" for port in free_ports(count)]


def ask_workers(environments, answer, ended=frozenset(), deadline=PROGRAM_DEADLINE, aftermath=AFTERMATH):
    """What answer() replies on workers, one in each of the environments, as one reply.

    One that has failed is ended at once, so that those which wait for it notice; when this
    returns none is left. One that gave no answer in time (run_processes) has failed by
    DeadlineExceeded; one that ended without by Internal, or by Unavailable where another
    had failed before or was killed as one of those `ended`. These observe nothing.
    """

    def be_worker(number):
        os.environ |= environments[number] | {NUMBER_VARIABLE: str(number)}
        reply = reply_or_failure(answer)
        return {"failed": "observations" not in reply, **reply}

    # Those that a program leaves behind have as long as any to find it out.
    patience = deadline if ended else aftermath
    replies, some_gone = {}, False
    for number, result in run_processes(len(environments), be_worker, deadline, patience):
        was_ended = number in ended and was_killed(result)
        replies[number] = NOTHING if was_ended else _reply_of(number, result, some_gone)
        some_gone = some_gone or was_ended or "observations" not in replies[number]
    return merged([replies[number] for number in range(len(environments))])


def was_killed(result):
    """Whether a process ended by SIGKILL, and not for being late."""
    return result.get("status") == -signal.SIGKILL and "late" not in result


def merged(replies):
    """One reply from those of all workers, which are in their order."""
    for reply in replies:
        if "unsupported" in reply:
            return reply
    failures = [reply for reply in replies if "error" in reply]
    causes = [one for one in failures if one["error"]["class"] not in CONSEQUENCES]
    if failures:
        return (causes or failures)[0]
    every = [reply["observations"] for reply in replies]
    names = dict.fromkeys(name for one in every for name in one)
    return {"observations": {name: [one.get(name) for one in every] for name in names}}


def _reply_of(number, result, some_gone):
    if "status" not in result:
        return {key: part for key, part in result.items() if key != "failed"}
    if "late" in result:
        return failure("DeadlineExceeded", f"worker {number} gave no answer in time")
    status = result["status"]
    how = f"status {status}" if status >= 0 else signal.Signals(-status).name
    error_class = "Unavailable" if some_gone else "Internal"
    return failure(error_class, f"worker {number} ended by {how} without an answer")
