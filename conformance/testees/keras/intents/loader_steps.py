"""loader.*: datasets of tf.data, as Model reads them."""

import tensorflow as tf

from conformance.testees.keras.input_steps import ModelInput, read
from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.intents import loader_steps

steps = StepTable(loader_steps.steps)

steps.unsupported("loader.set_epoch", "fit begins the passes of what it is given, by no number")


@steps.step("loader.elements")
def elements(call):
    passing = ModelInput(tf.distribute.get_strategy(), call.find("of").begin())
    return [[loader_steps.shown(data[0]) for data in step] for step in read(passing)]
