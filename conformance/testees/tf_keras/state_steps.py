"""Weights, slots and policies: Keras 2's weights are variables of TensorFlow."""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow import export_steps, layer_steps

steps = StepTable()


@steps.step("layer.weight")
def weight(call):
    return layer_steps.find_weight(call)


@steps.step("model.weight")
def model_weight(call):
    return export_steps.find_model_weight(call)


@steps.step("metric.state")
def state(call):
    return getattr(call.find("of"), call.argument("name"))


# Adam's and, of SGD, the only one there is.
SLOTS = {"momentum": "_momentums", "velocity": "_velocities", "average": "_model_variables_moving_average"}


@steps.step("optimizer.slot")
def slot(call):
    optimizer, variable = call.find("of"), call.find("variable")
    optimizer = getattr(optimizer, "inner_optimizer", optimizer)
    kept = getattr(optimizer, SLOTS[call.argument("slot")], None) or optimizer.momentums
    return kept[optimizer._index_dict[optimizer._var_key(variable)]]


@steps.step("precision.policy")
def policy(call):
    made = tf.keras.mixed_precision.Policy(call.argument("name"))
    return {"name": made.name, "compute_dtype": made.compute_dtype, "variable_dtype": made.variable_dtype}


@steps.step("precision.set_policy")
def set_policy(call):
    tf.keras.mixed_precision.set_global_policy(call.argument("name"))
