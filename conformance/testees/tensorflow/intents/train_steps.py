"""train.* and gather.*: the documents' custom training loop."""

import tensorflow as tf

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.intents import TrainingRequest
from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.intents import measuring
from conformance.testees.tensorflow.intents.training import Training

steps = StepTable()

_SPLIT = "its strategy splits each batch over all replicas, so that none has more of them"
steps.unsupported("train.gradients", "its optimizers combine gradients inside apply_gradients and hand none out")
steps.unsupported("train.join", _SPLIT)
steps.unsupported("train.no_sync", "its optimizers combine gradients whenever they are applied")


@steps.step("train.create")
def create(call):
    # What `find_unused` and `static_graph` announce needs no announcement here.
    return Training(call.find("of"), TrainingRequest.of(call))


@steps.step("train.batches")
def batches(call):
    training, loader = call.find("of"), call.find("loader")
    for _ in range(call.integer("batches", 1)):
        training.train_on(loader.next(training.distribute), loader.global_batch)


@steps.step("train.epoch")
def epoch(call):
    training, loader = call.find("of"), call.find("loader")
    most, going = call.integer("stop_after", None), True
    while going and training.epoch < call.integer("epochs", 1):
        going = training.train_epoch(loader, most)


@steps.step("train.losses")
def losses(call):
    return call.find("of").losses


@steps.step("train.evaluate")
def evaluate(call):
    names = call.argument("metrics", [])
    return measuring.evaluate(call.find("of"), call.find("loader"), names)


@steps.step("train.predict")
def predict(call):
    return measuring.predict(call.find("of"), call.find("loader"))


@steps.step("train.gather")
def examples(call):
    return measuring.examples(call.find("of"), call.find("loader"))


@steps.step("train.progress")
def progress(call):
    return progress_of(call.find("of").optimizer, call.argument("what"))


def progress_of(optimizer, what):
    """The state of a Keras optimizer, or of one that scales losses."""
    if what == "skipped_steps":
        raise Unsupported("Keras's optimizers do not count the steps they skip")
    if what == "loss_scale":
        return float(tf.convert_to_tensor(_loss_scale(optimizer)))
    if what == "learning_rate":
        return float(tf.convert_to_tensor(optimizer.learning_rate))
    return int(tf.convert_to_tensor(optimizer.iterations))


def _loss_scale(optimizer):
    """By the name that Keras 3 has for it, and Keras 2."""
    for name in ("dynamic_scale", "loss_scale"):
        if hasattr(optimizer, name):
            return getattr(optimizer, name)
    raise Unsupported("the optimizer of this precision scales no loss")
