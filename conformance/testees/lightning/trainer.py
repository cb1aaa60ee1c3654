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


def training_options(wish):
    """What a TrainingWish asks of the Trainer that fits."""
    return {
        "strategy": {"find_unused_parameters": wish.find_unused, "static_graph": wish.static_graph},
        "accumulate_grad_batches": wish.accumulate,
        "gradient_clip_val": wish.clip_norm,
        "sync_batchnorm": wish.sync_batch_norm,
        **precision_options(wish),
    }


def precision_options(wish):
    if wish.precision in _PRECISIONS:
        return {"precision": _PRECISIONS[wish.precision]}
    # Asked for by its name, on a CPU this precision would become that of bfloat16.
    scaler = torch.amp.GradScaler("cpu", init_scale=float(wish.initial_scale), growth_interval=wish.growth_steps)
    return {"plugins": [_MixedPrecision("16-mixed", "cpu", scaler)]}


def world_size():
    return int(os.environ["WORLD_SIZE"])
