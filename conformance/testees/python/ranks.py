"""Testees of frameworks that run one process per replica: its rank in a job.

The processes are forked for each program, from a testee that has imported its framework
and made nothing with it. Every rank runs the whole program. What differs by rank is
reported by all, as PerRank; everything else by rank 0, of several workers by the first
rank of each. The error is that of the rank that failed first, as a launcher reports it;
the others are ended. A `program.try` catches a rank's error on that rank: the class that
it gives is the rank's own, and the ranks go on together.
"""

import contextlib
import os
import tempfile

from conformance.testees.python.answer import answer, reply_for_unsupported
from conformance.testees.python.failure import failure, reply_or_failure
from conformance.testees.python.per_rank import PerRank, mark, merged
from conformance.testees.python.process_group import AFTERMATH, run_processes
from conformance.testees.python.testee import Testee
from conformance.testees.python.worker_steps import ended_workers
from conformance.testees.python.workers import NOTHING, NUMBER_VARIABLE, free_addresses, was_killed
from conformance.testees.python.workers import merged as merged_workers

PROGRAM_DEADLINE = 50  # seconds
RENDEZVOUS = "LOCKSTEP_RENDEZVOUS"


class RankedTestee(Testee):
    """The base of such a testee.

        class Lightning(RankedTestee):
            name = "lightning"
            steps = StepTable(program_steps.steps, intent_steps.steps)

    A rank finds the others by the variables that torchrun sets (RANK, WORLD_SIZE,
    LOCAL_RANK, MASTER_ADDR, MASTER_PORT, ...) or by a file, named in RENDEZVOUS.
    """

    def begin_rank(self):
        """In each rank, before its program: what has to be set once a process."""

    def plain_of_rank(self, value):
        """What `plain` is to other testees, of a rank's own value."""
        raise NotImplementedError

    def plain(self, value):
        return mark(value.local) if isinstance(value, PerRank) else self.plain_of_rank(value)

    def part_of(self, value, key):
        key = int(key) if isinstance(value.local, (list, tuple)) else key
        return PerRank(value.local[key])

    def answer(self, request):
        if reply := reply_for_unsupported(self, request["program"]):
            return reply
        given = request["given"]
        replicas, workers = given.get("replicas", 1), given.get("workers", 1)
        ended = ended_workers(request["program"])
        with _shared_folder(request) as folder, tempfile.TemporaryDirectory() as meeting:
            place = _meeting_place(meeting)

            def be_rank(rank):
                os.environ |= place | _variables_of(rank, replicas, workers)
                self.begin_rank()
                reply = reply_or_failure(lambda: answer(self, request | {"folder": folder}))
                return {"failed": "error" in reply, **reply}

            patience = PROGRAM_DEADLINE if ended else AFTERMATH
            results = run_processes(workers * replicas, be_rank, PROGRAM_DEADLINE, patience)
        left = [(rank, reply) for rank, reply in results if not (rank // replicas in ended and was_killed(reply))]
        if first := _first_failure(left):
            return first
        nodes = _replies_of_nodes(dict(left), workers, replicas)
        return merged_workers(nodes) if "workers" in given else nodes[0]


@contextlib.contextmanager
def _shared_folder(request):
    """The folder of the program's files: ranks of one machine have one together."""
    if "folder" in request:
        yield request["folder"]
    elif "workers" in request["given"]:
        yield None  # workers may have one each
    else:
        with tempfile.TemporaryDirectory(prefix="lockstep-") as folder:
            yield folder


def _meeting_place(folder):
    """The variables by which ranks find each other, in a file or at a port."""
    (address,) = free_addresses(1)
    host, port = address.split(":")
    file = os.path.join(folder, "rendezvous")
    return {"MASTER_ADDR": host, "MASTER_PORT": port, RENDEZVOUS: file}


def _variables_of(rank, replicas, workers):
    """What torchrun tells the processes it starts."""
    return {
        "RANK": str(rank),
        "WORLD_SIZE": str(workers * replicas),
        "LOCAL_RANK": str(rank % replicas),
        "LOCAL_WORLD_SIZE": str(replicas),
        "GROUP_RANK": str(rank // replicas),
        "GROUP_WORLD_SIZE": str(workers),
        NUMBER_VARIABLE: str(rank // replicas),
    }


def _first_failure(results):
    """The first error, as the launcher of ranks reports it; None where there is none."""
    for _, reply in results:
        if reply.pop("failed"):
            return reply if "error" in reply else _death(reply["status"])
    return None


def _replies_of_nodes(replies, workers, replicas):
    """What each node's ranks reply, as one; nothing where the program has ended them."""
    nodes = [range(node * replicas, (node + 1) * replicas) for node in range(workers)]
    return [_one_reply([replies[rank] for rank in ranks]) if ranks[0] in replies else NOTHING for ranks in nodes]


def _one_reply(replies):
    for reply in replies:
        if "unsupported" in reply:
            return reply
    return {"observations": merged([reply["observations"] for reply in replies])}


def _death(status):
    reply = failure("Internal", f"a rank ended with status {status}")
    reply["error"]["at_step"] = ""
    return reply
