"""Training by a loop of the user's, as PyTorch's documents write it."""

from torch.distributed.algorithms.join import Join

from conformance.testees.python.intents import TrainingRequest
from conformance.testees.python.step_table import StepTable
from conformance.testees.pytorch_ddp.intents.training import Training

steps = StepTable()

PROGRESS = {
    "optimizer_steps": lambda training: training.steps,
    "learning_rate": lambda training: training.schedule.get_last_lr()[0],
    "loss_scale": lambda training: training.scaler.get_scale(),
    "skipped_steps": lambda training: training.skipped_steps,
}


@steps.step("train.create")
def create(call):
    request = TrainingRequest.of(call)
    request.refuse(sync_batch_norm="SyncBatchNorm works on GPUs only")
    return Training(call.find("of"), request)


@steps.step("train.batches")
def batches(call):
    training, loader = call.find("of"), call.find("loader")
    for _ in range(call.integer("batches", 1)):
        training.train_batch(*loader.next(training.passes))


@steps.step("train.no_sync")
def no_sync(call):
    training, loader = call.find("of"), call.find("loader")
    for _ in range(call.integer("batches", 1)):
        _, batch = loader.next(training.passes)
        training.train_alone(batch)


@steps.step("train.epoch")
def epoch(call):
    training, loader = call.find("of"), call.find("loader")
    stop_after = call.argument("stop_after", None)
    for number in range(training.passes, call.integer("epochs", 1)):
        if training.batches == stop_after:
            return
        if not training.train_pass(loader.begin(number), stop_after):
            return


@steps.step("train.join")
def join(call):
    training, loader = call.find("of"), call.find("loader")
    with Join([training.model]):
        training.train_pass(loader.begin(training.passes))


@steps.step("train.gradients")
def gradients(call):
    return call.find("of").gradients


@steps.step("train.progress")
def progress(call):
    return PROGRESS[call.argument("what")](call.find("of"))
