"""dataset.creator: what Keras 2's fit takes under parameter servers."""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.parameter_server.coordinator_steps import dataset_function

steps = StepTable()


@steps.step("dataset.creator")
def creator(call):
    return tf.keras.utils.experimental.DatasetCreator(dataset_function(call))
