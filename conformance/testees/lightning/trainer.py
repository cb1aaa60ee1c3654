"""The Trainer for a training, as its documents have it made."""

import os

import pytorch_lightning as pl
import torch
from pytorch_lightning.plugins import precision
from pytorch_lightning.strategies import DDPStrategy

from conformance.testees.torch_ranks.testee import COLLECTIVE_TIMEOUT

_PRECISIONS = {"float32": "32-true", "mixed_bfloat16": "bf16-mixed"}
# Up to 2.0 it has another name.
_MixedPrecision = getattr(precision, "MixedPrecision", None) or precision.MixedPrecisionPlugin
_QUIET = dict.fromkeys(("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary"), False)


def trainer_of(strategy=None, **options):
    """A Trainer of all ranks; `strategy` are options of DDPStrategy."""
    ddp = DDPStrategy(process_group_backend="gloo", timeout=COLLECTIVE_TIMEOUT, **(strategy or {}))
    return pl.Trainer(accelerator="cpu", devices=world_size(), strategy=ddp, **_QUIET, **options)


def training_options(request):
    """The options of the Trainer that fits, from a TrainingRequest."""
    return {
        "strategy": {"find_unused_parameters": request.find_unused, "static_graph": request.static_graph},
        "accumulate_grad_batches": request.accumulate,
        "gradient_clip_val": request.clip_norm,
        "sync_batchnorm": request.sync_batch_norm,
        **precision_options(request),
    }


def precision_options(request):
    if request.precision in _PRECISIONS:
        return {"precision": _PRECISIONS[request.precision]}
    # Asked for by its name, on a CPU this precision would become that of bfloat16.
    scaler = torch.amp.GradScaler("cpu", init_scale=float(request.initial_scale), growth_interval=request.growth_steps)
    return {"plugins": [_MixedPrecision("16-mixed", "cpu", scaler)]}


def world_size():
    return int(os.environ["WORLD_SIZE"])
