"""train.save and train.resume: tf.train.Checkpoint of the document's loop.

An iterator over a distributed dataset is nothing that a checkpoint takes. Its place is
what the document counts, passes and batches: a dataset made anew is brought there.
"""

import os

import tensorflow as tf

from conformance.testees.python.step_table import StepTable

steps = StepTable()

PREFIX = "ckpt"


def checkpoint_of(training, place):
    """As the documents have it; `place` counts the batches of the pass."""
    return tf.train.Checkpoint(
        model=training.model,
        optimizer=training.optimizer,
        epoch=training.epoch,
        batches=training.batches,
        step_in_epoch=place,
    )


@steps.step("train.save")
def save(call):
    place = call.find("loader").taken if call.has("loader") else 0
    made = checkpoint_of(call.find("of"), tf.Variable(place, trainable=False))
    made.save(os.path.join(call.path(call.argument("folder")), PREFIX))


@steps.step("train.resume")
def resume(call):
    latest = tf.train.latest_checkpoint(call.path(call.argument("folder")))
    if latest is None:
        raise FileNotFoundError(f"no checkpoint is in {call.argument('folder')}")
    training, place = call.find("of"), tf.Variable(0, trainable=False)
    made = checkpoint_of(training, place)
    made.restore(latest).assert_existing_objects_matched()
    if call.has("loader"):
        loader = call.find("loader")
        loader.set_epoch(int(training.epoch.numpy()))
        loader.skip(int(place.numpy()))
