"""PyTorch DistributedDataParallel as a testee.

    python -m conformance.testees.pytorch_ddp.testee [--drop-last]

With --drop-last its samplers leave out what does not divide by the ranks, and pad nothing.
A replica is a process, a rank of a gloo group (python/ranks.py). A value outside a run is
the rank's own, and a block of `strategy.run` runs as it stands. Of several workers each is
a node of torchrun's with so many ranks.
"""

import contextlib
import os
import sys

import torch
import torch.distributed as dist

from conformance.testees.python import protocol, worker_steps
from conformance.testees.python.ranks import RENDEZVOUS
from conformance.testees.python.step_table import StepTable
from conformance.testees.pytorch_ddp import (
    collective_steps,
    gradient_steps,
    input_steps,
    unsupported_steps,
    value_steps,
)
from conformance.testees.pytorch_ddp.intents import loader_steps, state_steps, train_steps
from conformance.testees.torch_ranks.testee import COLLECTIVE_TIMEOUT, TorchRanks


class PyTorchDdp(TorchRanks):
    """`drop_last`: the option of each DistributedSampler."""

    name = "pytorch_ddp"
    drop_last = False
    workers = 4
    implementation = "PyTorch " + torch.__version__.partition("+")[0]
    steps = StepTable(
        TorchRanks.steps,
        worker_steps.steps,
        unsupported_steps.steps,
        value_steps.steps,
        collective_steps.steps,
        input_steps.steps,
        gradient_steps.steps,
        loader_steps.steps,
        train_steps.steps,
        state_steps.steps,
    )

    @contextlib.contextmanager
    def given(self, given):
        self.in_run = False
        if given["strategy"] == "default":
            yield {}
            return
        environment = os.environ
        file = "file://" + environment[RENDEZVOUS]
        dist.init_process_group(
            "gloo",
            init_method="env://" if "workers" in given else file,
            rank=int(environment["RANK"]),
            world_size=int(environment["WORLD_SIZE"]),
            timeout=COLLECTIVE_TIMEOUT,
        )
        yield {"strategy": dist.group.WORLD}


class PyTorchDdpDropLast(PyTorchDdp):
    name = "pytorch_ddp_drop_last"
    drop_last = True
    conventions = PyTorchDdp.conventions | {"end_of_data": "drop"}


if __name__ == "__main__":
    chosen = PyTorchDdpDropLast if "--drop-last" in sys.argv[1:] else PyTorchDdp
    sys.exit(protocol.serve(chosen()))
