"""PyTorch DistributedDataParallel as a testee.

    python conformance/testees/pytorch_ddp/testee.py [--drop-last]

With --drop-last its samplers leave out what does not divide by the ranks, and pad nothing.
A replica is a process, a rank of a gloo group, forked for each program. Every rank runs
the whole program: a value outside a run is the rank's own, and a block of `strategy.run`
runs as it stands. What differs by rank is reported by all, everything else by rank 0.
Of several workers each is a node of torchrun's with so many ranks; what does not differ by
rank is reported by the first of each.
"""

import contextlib
import datetime
import os
import pathlib
import re
import sys
import tempfile

sys.path[0] = str(pathlib.Path(__file__).resolve().parents[3])

import torch
import torch._dynamo  # else DistributedDataParallel does, in every fork anew
import torch.distributed as dist

from conformance.testees.python import program_steps, protocol, worker_steps
from conformance.testees.python.answer import answer, reply_for_lack
from conformance.testees.python.errors import PYTHON_CLASSES, class_of
from conformance.testees.python.failure import told_of_errors
from conformance.testees.python.process_group import AFTERMATH, run_processes
from conformance.testees.python.step_table import StepTable
from conformance.testees.python.testee import Testee
from conformance.testees.python.worker_steps import ended_workers
from conformance.testees.python.workers import (
    NOTHING,
    NUMBER_VARIABLE,
    free_addresses,
    was_killed,
)
from conformance.testees.python.workers import merged as merged_workers
from conformance.testees.pytorch_ddp import (
    collective_steps,
    input_steps,
    lacking_steps,
    precision_steps,
    training_steps,
    value_steps,
    variable_steps,
)
from conformance.testees.pytorch_ddp.per_rank import PerRank, mark, merged

# How long a rank waits for the others in a collective; PyTorch's default is 30 minutes.
COLLECTIVE_TIMEOUT = datetime.timedelta(seconds=15)
PROGRAM_DEADLINE = 50  # seconds

CLASSES = (
    (dist.DistNetworkError, "Unavailable"),
    *PYTHON_CLASSES,
)
# PyTorch raises RuntimeError for nearly everything; the text tells them apart.
RUNTIME_ERRORS = [
    (r"[Tt]imed out|[Tt]imeout", "DeadlineExceeded"),
    (r"[Cc]onnection (closed|reset|refused)", "Unavailable"),
    (r"size|shape|dimension|dtype|scalar type|same number of", "InvalidArgument"),
]


class PyTorchDdp(Testee):
    """`drop_last`: the option of each DistributedSampler."""

    name = "pytorch_ddp"
    drop_last = False
    workers = 4
    implementation = "PyTorch " + torch.__version__.partition("+")[0]
    conventions = {
        "gradient_combination": "mean",
        "end_of_data": "pad",
        "placement": "round_robin",
        "empty_replica": "no_step",
        "loss_reduction": "per_replica_mean",
    }
    steps = StepTable(
        program_steps.steps,
        worker_steps.steps,
        lacking_steps.steps,
        value_steps.steps,
        collective_steps.steps,
        input_steps.steps,
        variable_steps.steps,
        training_steps.steps,
        precision_steps.steps,
    )

    def answer(self, request):
        if lack := reply_for_lack(self, request["program"]):
            return lack
        given = request["given"]
        replicas, workers = given.get("replicas", 1), given.get("workers", 1)
        with tempfile.TemporaryDirectory(prefix="lockstep-ranks-") as folder:
            meeting = _meeting(folder)

            def be_rank(rank):
                _be_started(rank, replicas, workers, meeting)
                reply = told_of_errors(lambda: answer(self, request))
                return {"failed": "error" in reply, **reply}

            ended = ended_workers(request["program"])
            patience = PROGRAM_DEADLINE if ended else AFTERMATH
            results = run_processes(workers * replicas, be_rank, PROGRAM_DEADLINE, patience)
        left = [
            (rank, reply)
            for rank, reply in results
            if not (rank // replicas in ended and was_killed(reply))
        ]
        if failure := _first_failure(left):
            return failure
        nodes = _replies_of_nodes(dict(left), workers, replicas)
        return merged_workers(nodes) if "workers" in given else nodes[0]

    @contextlib.contextmanager
    def given(self, given):
        self.in_run = False
        self.wrapped_models = []
        if given["strategy"] == "default":
            yield {}
            return
        environment = os.environ
        file = "file://" + environment["LOCKSTEP_RENDEZVOUS"]
        dist.init_process_group(
            "gloo",
            init_method="env://" if "workers" in given else file,
            rank=int(environment["RANK"]),
            world_size=int(environment["WORLD_SIZE"]),
            timeout=COLLECTIVE_TIMEOUT,
        )
        yield {"strategy": dist.group.WORLD}

    def literal(self, literal, dtype):
        return torch.tensor(literal, dtype=getattr(torch, dtype))

    def dtype_of(self, value):
        return str(value.dtype).removeprefix("torch.")

    def plain(self, value):
        if isinstance(value, PerRank):
            return mark(value.local)
        return value.tolist() if torch.is_tensor(value) else NotImplemented

    def part_of(self, value, key):
        key = int(key) if isinstance(value.local, (list, tuple)) else key
        return PerRank(value.local[key])

    def error_class(self, error):
        for text, name in RUNTIME_ERRORS:
            if isinstance(error, RuntimeError) and re.search(text, str(error)):
                return name
        return class_of(error, CLASSES)


class PyTorchDdpDropLast(PyTorchDdp):
    name = "pytorch_ddp_drop_last"
    drop_last = True
    conventions = PyTorchDdp.conventions | {"end_of_data": "drop"}


def _meeting(folder):
    """The variables by which ranks find each other, in a file or at a port."""
    (address,) = free_addresses(1)
    host, port = address.split(":")
    file = os.path.join(folder, "rendezvous")
    return {"MASTER_ADDR": host, "MASTER_PORT": port, "LOCKSTEP_RENDEZVOUS": file}


def _be_started(rank, replicas, workers, meeting):
    """What torchrun does for the processes it starts."""
    os.environ |= meeting | {
        "RANK": str(rank),
        "WORLD_SIZE": str(workers * replicas),
        "LOCAL_RANK": str(rank % replicas),
        "LOCAL_WORLD_SIZE": str(replicas),
        "GROUP_RANK": str(rank // replicas),
        "GROUP_WORLD_SIZE": str(workers),
        NUMBER_VARIABLE: str(rank // replicas),
    }
    torch.set_num_threads(1)
    torch.seed()  # a fork inherits its parent's generator


def _first_failure(results):
    """The first error, as the launcher of ranks reports it; None where there is none."""
    for _, reply in results:
        if reply.pop("failed"):
            return reply if "error" in reply else _death(reply["status"])
    return None


def _replies_of_nodes(replies, workers, replicas):
    """What each node's ranks reply, as one; nothing where the program has ended them."""
    nodes = [range(node * replicas, (node + 1) * replicas) for node in range(workers)]
    return [
        _one_reply([replies[rank] for rank in ranks]) if ranks[0] in replies else NOTHING
        for ranks in nodes
    ]


def _one_reply(replies):
    if "unsupported" in replies[0]:
        return replies[0]
    return {"observations": merged([reply["observations"] for reply in replies])}


def _death(status):
    message = f"a rank ended with status {status}"
    return {"error": {"class": "Internal", "message": message, "at_step": ""}}


if __name__ == "__main__":
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    chosen = PyTorchDdpDropLast if "--drop-last" in sys.argv[1:] else PyTorchDdp
    sys.exit(protocol.serve(chosen()))
