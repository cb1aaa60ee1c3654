"""What testees of libraries on PyTorch share: ranks of a gloo group, and its errors."""

import datetime
import os
import pickle
import random
import re

import numpy as np
import torch
import torch._dynamo  # else DistributedDataParallel does, again in every fork
import torch.distributed as dist

from conformance.testees.python import program_steps, value_steps
from conformance.testees.python.errors import PYTHON_CLASSES, class_of
from conformance.testees.python.ranks import RankedTestee
from conformance.testees.python.step_table import StepTable
from conformance.testees.torch_ranks import model_steps

# How long a rank waits for the others in a collective; PyTorch's default is 30 minutes.
COLLECTIVE_TIMEOUT = datetime.timedelta(seconds=15)

CLASSES = ((dist.DistNetworkError, "Unavailable"), (pickle.UnpicklingError, "DataLoss"), *PYTHON_CLASSES)
# PyTorch raises RuntimeError for nearly everything; the text tells them apart.
RUNTIME_ERRORS = [
    (r"[Tt]imed out|[Tt]imeout", "DeadlineExceeded"),
    (r"[Cc]onnection (closed|reset|refused)", "Unavailable"),
    (r"PytorchStreamReader|failed finding central directory|invalid header", "DataLoss"),
    (r"size|shape|dimension|dtype|scalar type|same number of", "InvalidArgument"),
    (r"Error\(s\) in loading state_dict", "InvalidArgument"),
]


class TorchRanks(RankedTestee):
    """A testee whose values are PyTorch's tensors. Each testee starts its group itself.

    Its conventions are those of DistributedDataParallel and DistributedSampler; its steps
    are what every library on them has.
    """

    conventions = {
        "gradient_combination": "mean",
        "end_of_data": "pad",
        "placement": "round_robin",
        "empty_replica": "no_step",
        "loss_reduction": "per_replica_mean",
        "buffers": "first_replica",
        "own_buffers": "first_replica",
    }
    steps = StepTable(program_steps.steps, value_steps.steps, model_steps.steps)
    classes = CLASSES  # of errors; RuntimeErrors are distinguished by their text

    def begin_rank(self):
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
        torch.set_num_threads(1)
        # A fork inherits its parent's generators.
        torch.seed()
        np.random.seed()
        random.seed()

    def literal(self, literal, dtype):
        return torch.tensor(literal, dtype=getattr(torch, dtype))

    def dtype_of(self, value):
        return str(value.dtype).removeprefix("torch.")

    def plain_of_rank(self, value):
        return value.tolist() if torch.is_tensor(value) else NotImplemented

    def error_class(self, error):
        for text, name in RUNTIME_ERRORS:
            if isinstance(error, RuntimeError) and re.search(text, str(error)):
                return name
        return class_of(error, self.classes)
