"""precision.*: the policies that TensorFlow offers, which are Keras's."""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("precision.policy")
def policy(call):
    made = tf.keras.mixed_precision.DTypePolicy(call.argument("name"))
    return {"name": made.name, "compute_dtype": made.compute_dtype, "variable_dtype": made.variable_dtype}


@steps.step("precision.set_policy")
def set_policy(call):
    tf.keras.config.set_dtype_policy(call.argument("name"))
