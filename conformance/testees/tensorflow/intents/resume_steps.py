"""train.save and train.resume: tf.train.Checkpoint of the document's loop.

An iterator over a distributed dataset is nothing that a checkpoint takes. Its place is
`step_in_epoch`, which the document counts: Dataset.skip brings a dataset there that is not shuffled.
"""

import os

import tensorflow as tf

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.step_table import StepTable

steps = StepTable()

PREFIX = "ckpt"


def checkpoint_of(training, place):
    """As https://www.tensorflow.org/tutorials/distribute/multi_worker_with_ctl has it; `place` is of the pass."""
    return tf.train.Checkpoint(
        model=training.model,
        optimizer=training.optimizer,
        epoch=training.epoch,
        batches=training.batches,
        step_in_epoch=place,
    )


@steps.step("train.save")
def save(call):
    _refuse_order(call)
    place = call.find("loader").taken if call.has("loader") else 0
    made = checkpoint_of(call.find("of"), tf.Variable(place, trainable=False))
    made.save(os.path.join(call.path(call.argument("folder")), PREFIX))


@steps.step("train.resume")
def resume(call):
    _refuse_order(call)
    latest = tf.train.latest_checkpoint(call.path(call.argument("folder")))
    if latest is None:
        raise FileNotFoundError(f"no checkpoint is in {call.argument('folder')}")
    training, place = call.find("of"), tf.Variable(0, trainable=False)
    made = checkpoint_of(training, place)
    made.restore(latest).assert_existing_objects_matched()
    if call.has("loader"):
        call.find("loader").skip(int(place.numpy()))


def _refuse_order(call):
    if call.has("loader") and call.find("loader").request.shuffle:
        raise Unsupported("no checkpoint takes an iterator over a distributed dataset, which has the order of its pass")
