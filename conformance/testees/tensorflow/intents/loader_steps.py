"""loader.*: tf.data, distributed by the strategy in force."""

import tensorflow as tf

from conformance.testees.python.intents import LoaderRequest
from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.intents.loader import Loader
from conformance.testees.tensorflow.intents.model_steps import replicas

steps = StepTable()

steps.unsupported("loader.set_epoch", "tf.data's datasets begin their passes by no number")


@steps.step("loader.create")
def create(call):
    return Loader(LoaderRequest.of(call), replicas(), is_seeded=call.has("seed"))


@steps.step("loader.length")
def length(call):
    return call.find("of").length


@steps.step("loader.skip")
def skip(call):
    return call.find("of").skipping(call.integer("batches"))


@steps.step("loader.elements")
def elements(call):
    strategy = tf.distribute.get_strategy()
    passing = strategy.experimental_distribute_dataset(call.find("of").begin())
    return [[shown(own) for own in strategy.experimental_local_results(batch[0])] for batch in passing]


def shown(inputs):
    """What a replica got; nothing where it got a batch of no example."""
    return inputs.numpy().tolist() or None
