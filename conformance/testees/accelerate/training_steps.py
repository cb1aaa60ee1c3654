"""train.*: the loop of a program that uses Accelerate."""

import itertools

from conformance.testees.accelerate.training import Training
from conformance.testees.python.errors import Unsupported
from conformance.testees.python.intents import TrainingRequest
from conformance.testees.python.step_table import StepTable

steps = StepTable()

_NO_FP16 = "on a CPU its fp16 computes in float32 and scales no loss, and does not say so"
steps.unsupported("train.join", "its join_uneven_inputs is for GPUs; on CPUs it has no effect")
steps.unsupported("train.losses", "it logs only what a program hands to accelerator.log")


@steps.step("train.create")
def create(call):
    request = TrainingRequest.of(call)
    request.refuse_value("precision", {"mixed_float16": _NO_FP16})
    request.refuse(sync_batch_norm="PyTorch's SyncBatchNorm is for GPUs")
    if call.find("of").request.over == "tokens":
        request.refuse(calls="its guide's loss over tokens is of one call of the model")
    return Training(call.find("of"), request, call.testee.session.begin_training(request))


@steps.step("train.batches")
def batches(call):
    training, loader = call.find("of"), call.find("loader")
    batches = call.integer("batches", 1)
    # intents.md (train.batches)
    if training.model.request.over == "tokens" and batches % training.request.accumulate:
        raise Unsupported("its loop for tokens loads the batches of a step before it begins")
    training.train_on(loader.next_batch() for _ in range(batches))


@steps.step("train.no_sync")
def no_sync(call):
    training, loader = call.find("of"), call.find("loader")
    for _ in range(call.integer("batches", 1)):
        training.leave_unsynced(loader.next_batch())


@steps.step("train.epoch")
def epoch(call):
    training, loader = call.find("of"), call.find("loader")
    progress = training.progress
    last = call.argument("stop_after", None)
    while progress.epochs < call.argument("epochs", 1) and progress.batches != last:
        # intents.md (train.epoch, stop_after)
        left = None if last is None else last - progress.batches
        training.train_on(itertools.islice(loader.read_pass(), left))
        # intents.md (train.epoch, epochs)
        progress.epochs += loader.place in (0, len(loader.prepared))


@steps.step("train.gradients")
def gradients(call):
    training = call.find("of")
    if not training.accelerator.sync_gradients and training.accelerator.num_processes > 1:
        raise Unsupported("before the last batch of a step its replicas combine nothing")
    return training.gradients


@steps.step("train.progress")
def progress(call):
    training, what = call.find("of"), call.argument("what")
    if what == "optimizer_steps":
        return training.progress.optimizer_steps
    if what == "learning_rate":
        return training.scheduler.get_last_lr()[0]
    raise Unsupported(_NO_FP16)


@steps.step("train.save")
def save(call):
    training = call.find("of")
    training.progress.place = 0
    if call.has("loader"):
        loader = call.find("loader")
        # huggingface/accelerate:examples/by_feature/checkpointing.py (resume_step)
        training.progress.place = loader.place % len(loader.prepared)
    training.accelerator.save_state(call.path(call.argument("folder")))


@steps.step("train.resume")
def resume(call):
    training = call.find("of")
    training.accelerator.load_state(call.path(call.argument("folder")))
    if call.has("loader"):
        call.find("loader").go_on_behind(training.accelerator, training.progress.place)
