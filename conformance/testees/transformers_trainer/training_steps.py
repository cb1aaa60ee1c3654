"""train.*: what a Trainer's `train` does."""

import itertools
import os
import shutil

from transformers.trainer_utils import get_last_checkpoint

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.intents import TrainingRequest
from conformance.testees.python.step_table import StepTable
from conformance.testees.transformers_trainer.trainers import KNOWN
from conformance.testees.transformers_trainer.training import Training

steps = StepTable()

# Each training has a folder of its own for its checkpoints; on all ranks the same.
_numbers = itertools.count()

_NO_FP16 = "on a CPU its fp16 computes in float32 and scales no loss, and does not say so"


@steps.step("train.create")
def create(call):
    request = TrainingRequest.of(call)
    request.refuse_value("precision", {"mixed_float16": _NO_FP16})
    request.refuse(sync_batch_norm="PyTorch's SyncBatchNorm is for GPUs")
    request.refuse(calls="a Trainer calls its model once a batch")
    if request.static_graph and "ddp_static_graph" not in KNOWN:  # since 5.0
        raise Unsupported("it tells DistributedDataParallel nothing of a static graph")
    return Training(call.find("of"), request, call.path(f"trainer_{next(_numbers)}"))


@steps.step("train.batches")
def batches(call):
    call.find("of").train_batches(call.find("loader"), call.integer("batches", 1))


@steps.step("train.epoch")
def epoch(call):
    training = call.find("of")
    stop_after = call.argument("stop_after", None)
    training.train(call.find("loader"), call.argument("epochs", 1), stop_after)


@steps.step("train.gradients")
def gradients(call):
    training = call.find("of")
    if training.request.clip_norm is not None:
        raise Unsupported("its callbacks see gradients that are clipped already")
    if training.gradients is None:
        raise Unsupported("its callbacks see gradients where a step is complete, and only there")
    return training.gradients


@steps.step("train.progress")
def progress(call):
    training, what = call.find("of"), call.argument("what")
    if what in ("loss_scale", "skipped_steps"):
        raise Unsupported(_NO_FP16)
    if what == "optimizer_steps":
        return training.trainer.state.global_step if training.trainer else 0
    return training.next_rate()


@steps.step("train.losses")
def losses(call):
    history = call.find("of").trainer.state.log_history
    return [logs["loss"] for logs in history if "loss" in logs]


@steps.step("train.save")
def save(call):
    training = call.find("of")
    if training.checkpoint is None:
        raise Unsupported("a Trainer saves while it trains")
    accelerator = training.trainer.accelerator
    if accelerator.is_main_process:
        _put_checkpoint(training.checkpoint, call.path(call.argument("folder")))
    accelerator.wait_for_everyone()


@steps.step("train.resume")
def resume(call):
    training = call.find("of")
    folder = call.path(call.argument("folder"))
    checkpoint = get_last_checkpoint(folder)
    if checkpoint is None:
        raise FileNotFoundError(f"no checkpoint in {folder}")
    training.resume(checkpoint, skips_batches=call.has("loader"))


def _put_checkpoint(checkpoint, folder):
    """As in a Trainer's own output folder: beside earlier ones, whose numbers are lower."""
    put = os.path.join(folder, os.path.basename(checkpoint))
    if put != checkpoint:
        shutil.copytree(checkpoint, put, dirs_exist_ok=True)
