"""checkpoint.*: tf.train.Checkpoint."""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.distributed import Input

steps = StepTable()


def bare(thing):
    """TensorFlow's own iterator of an input."""
    return thing.source if isinstance(thing, Input) else thing


@steps.step("checkpoint.create")
def create(call):
    return tf.train.Checkpoint(**{name: bare(thing) for name, thing in call.bindings("objects").items()})


@steps.step("checkpoint.save")
def save(call):
    prefix = call.path(call.argument("prefix"))
    return call.relative(call.find("of").save(prefix))


@steps.step("checkpoint.write")
def write(call):
    prefix = call.path(call.argument("prefix"))
    return call.relative(call.find("of").write(prefix))


@steps.step("checkpoint.restore")
def restore(call):
    path = call.find("found", None) or call.argument("path", None)
    return call.find("of").restore(path and call.path(path))


class UnmatchedError(Exception):
    """A status that does not hold: TensorFlow's AssertionError, about a state here."""


def check(assertion):
    try:
        assertion()
    except AssertionError as error:
        raise UnmatchedError(error) from error


@steps.step("checkpoint.assert_consumed")
def assert_consumed(call):
    check(call.find("of").assert_consumed)


@steps.step("checkpoint.assert_existing_objects_matched")
def assert_existing_objects_matched(call):
    check(call.find("of").assert_existing_objects_matched)


@steps.step("checkpoint.latest")
def latest(call):
    path = tf.train.latest_checkpoint(call.path(call.argument("folder")))
    return path and call.relative(path)


@steps.step("checkpoint.state")
def state(call):
    found = tf.train.get_checkpoint_state(call.path(call.argument("folder")))
    if found is None:
        return None
    paths = found.all_model_checkpoint_paths
    return {
        "model_checkpoint_path": call.relative(found.model_checkpoint_path),
        "all_model_checkpoint_paths": [call.relative(path) for path in paths],
    }
