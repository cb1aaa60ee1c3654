"""PyTorch Lightning as a testee: a Trainer with DDPStrategy in each rank of a gloo group.

    python -m conformance.testees.lightning.testee

The ranks are there already, as torchrun would have started them, and each calls
`Trainer.fit` itself. A program that looks at a model between two batches or passes does so
where a Callback is called (fit.py). It keeps to what Lightning has from 2.0 on.
"""

import logging
import os
import sys
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")  # as torchrun sets it for its ranks

import pytorch_lightning

from conformance.testees.lightning import evaluation_steps, loader_steps, training_steps, unsupported_steps
from conformance.testees.python import protocol
from conformance.testees.python.step_table import StepTable
from conformance.testees.torch_ranks.testee import TorchRanks


class Lightning(TorchRanks):
    name = "lightning"
    implementation = "PyTorch Lightning " + pytorch_lightning.__version__
    conventions = TorchRanks.conventions | {"accumulation_tail": "part"}
    steps = StepTable(
        TorchRanks.steps, unsupported_steps.steps, loader_steps.steps, training_steps.steps, evaluation_steps.steps
    )

    def begin_rank(self):
        super().begin_rank()
        # By this Lightning knows that it need not start the ranks: its environment is
        # then that of torchrun (TorchElasticEnvironment).
        os.environ["TORCHELASTIC_RUN_ID"] = "lockstep"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    sys.exit(protocol.serve(Lightning()))
