"""The Trainer of Hugging Face Transformers as a testee.

A replica is a process of a gloo group (python/ranks.py), as torchrun starts them. A loader
is a dataset and the options of its batches: the Trainer makes its own loader from these.
"""

import contextlib
import gc
import sys

# With what would else be loaded in every rank.
import safetensors
import transformers

from conformance.testees.python import protocol
from conformance.testees.python.step_table import StepTable
from conformance.testees.torch_ranks.testee import CLASSES, TorchRanks
from conformance.testees.transformers_trainer import loader_steps, measuring_steps, training_steps, unsupported_steps


class TransformersTrainer(TorchRanks):
    name = "transformers_trainer"
    implementation = "Transformers " + transformers.__version__
    conventions = {
        "gradient_combination": "mean",
        "end_of_data": "fill",
        "placement": "blocks",
        "loss_reduction": "per_replica_mean",
        "accumulation_tail": "step",
        "schedule_unit": "optimizer_step",
        "buffers": "first_replica",
        "own_buffers": "first_replica",
    }
    steps = StepTable(
        TorchRanks.steps, unsupported_steps.steps, loader_steps.steps, training_steps.steps, measuring_steps.steps
    )
    classes = ((safetensors.SafetensorError, "DataLoss"), *CLASSES)

    @contextlib.contextmanager
    def given(self, given):
        self.replicas = given.get("replicas", 1)
        yield {}


if __name__ == "__main__":
    gc.freeze()  # a Trainer collects garbage, and looks through all that is not frozen
    sys.exit(protocol.serve(TransformersTrainer()))
