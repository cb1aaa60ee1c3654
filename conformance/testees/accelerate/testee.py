"""Hugging Face Accelerate as a testee.

    python -m conformance.testees.accelerate.testee [--replica-batches]

A replica is a process of a gloo group (python/ranks.py), as `accelerate launch --cpu` starts
them. A loader of global batches is one that Accelerate splits; with --replica-batches it is
one of the replicas' shares, as it is unless `split_batches` is asked for. The same batches
come of both; schedules of learning rates go with the first by steps, else N times as fast.
"""

import contextlib
import sys

import accelerate
import safetensors

from conformance.testees.accelerate import collective_steps, loader_steps, measuring_steps, training_steps
from conformance.testees.accelerate.session import Session
from conformance.testees.python import protocol
from conformance.testees.python.step_table import StepTable
from conformance.testees.torch_ranks.testee import CLASSES, TorchRanks


class Accelerate(TorchRanks):
    """`replica_batches`: whether loaders of global batches are made of the replicas' shares."""

    name = "accelerate"
    replica_batches = False
    implementation = "Accelerate " + accelerate.__version__
    conventions = {
        "gradient_combination": "mean",
        "indivisible_batch": "error",
        "end_of_data": "fill",
        "placement": "blocks",
        "loss_reduction": "per_replica_mean",
        "accumulation_tail": "part",
        "schedule_unit": "optimizer_step",
        "buffers": "first_replica",
        "own_buffers": "first_replica",
    }
    steps = StepTable(
        TorchRanks.steps, collective_steps.steps, loader_steps.steps, training_steps.steps, measuring_steps.steps
    )
    classes = ((safetensors.SafetensorError, "DataLoss"), *CLASSES)

    def answer(self, request):
        self.program = request["program"]
        return super().answer(request)

    @contextlib.contextmanager
    def given(self, given):
        self.session = Session(self.program, self.replica_batches)
        yield {}


class AccelerateReplicaBatches(Accelerate):
    name = "accelerate_replica_batches"
    replica_batches = True
    conventions = Accelerate.conventions | {"schedule_unit": "replica_batch"}


if __name__ == "__main__":
    chosen = AccelerateReplicaBatches if "--replica-batches" in sys.argv[1:] else Accelerate
    sys.exit(protocol.serve(chosen()))
