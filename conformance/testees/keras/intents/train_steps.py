"""train.*: keras.Model under the strategy in force, which divides what fit reads."""

from conformance.testees.keras.intents.training import Training
from conformance.testees.python.intents import TrainingRequest
from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.intents.train_steps import progress_of

steps = StepTable()

steps.unsupported("train.join", "its strategy gives every replica a part of each batch")
steps.unsupported("train.no_sync", "its optimizers combine gradients whenever they are applied")
steps.unsupported("train.gradients", "fit hands out no gradients")
steps.unsupported("train.gather", "of what replicas have, only predictions are put together")


@steps.step("train.create")
def create(call):
    # What `find_unused` and `static_graph` announce needs no announcement here.
    request = TrainingRequest.of(call)
    request.refuse(calls="fit calls a model once a batch")
    return Training(call.find("of"), request)


@steps.step("train.batches")
def batches(call):
    call.find("of").fit_batches(call.find("loader"), call.integer("batches", 1))


@steps.step("train.epoch")
def epoch(call):
    most = call.integer("stop_after", None)
    call.find("of").fit_epochs(call.find("loader"), call.integer("epochs", 1), most)


@steps.step("train.losses")
def losses(call):
    return call.find("of").losses


@steps.step("train.evaluate")
def evaluate(call):
    return call.find("of").evaluate(call.find("loader"), call.argument("metrics", []))


@steps.step("train.predict")
def predict(call):
    return call.find("of").predict(call.find("loader"))


@steps.step("train.progress")
def progress(call):
    return progress_of(call.find("of").model.optimizer, call.argument("what"))
