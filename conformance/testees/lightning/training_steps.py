"""Training by `Trainer.fit`."""

import os

from conformance.testees.lightning.training import Training
from conformance.testees.python.errors import Unsupported
from conformance.testees.python.intents import TrainingRequest
from conformance.testees.python.step_table import StepTable

steps = StepTable()

CHECKPOINT = "training.ckpt"


@steps.step("train.create")
def create(call):
    request = TrainingRequest.of(call)
    request.refuse(sync_batch_norm="PyTorch's SyncBatchNorm, which it takes, is for GPUs alone")
    return Training(call.find("of"), request)


@steps.step("train.batches")
def batches(call):
    call.find("of").train_batches(call.find("loader"), call.integer("batches", 1))


@steps.step("train.epoch")
def epoch(call):
    stop_after = call.argument("stop_after", None)
    call.find("of").train_epochs(call.find("loader"), call.integer("epochs", 1), stop_after)


@steps.step("train.gradients")
def gradients(call):
    return call.find("of").learner.gradients


@steps.step("train.losses")
def losses(call):
    return call.find("of").fit.losses


@steps.step("train.progress")
def progress(call):
    trainer = call.find("of").fit.trainer
    if call.argument("what") == "optimizer_steps":
        return trainer.global_step
    if call.argument("what") == "learning_rate":
        return trainer.optimizers[0].param_groups[0]["lr"]
    if call.argument("what") == "loss_scale":
        return trainer.precision_plugin.scaler.get_scale()
    raise Unsupported("its Trainer counts the steps that its scaler skips as steps")


@steps.step("train.save")
def save(call):
    call.find("of").fit.trainer.save_checkpoint(_checkpoint(call))


@steps.step("train.resume")
def resume(call):
    call.find("of").resume(_checkpoint(call))


def _checkpoint(call):
    return os.path.join(call.path(call.argument("folder")), CHECKPOINT)
