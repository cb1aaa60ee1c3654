"""variable.*: keras.Variable."""

import keras
import tensorflow as tf

from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow import variable_steps

# Assigning is a method of the same names.
steps = StepTable(variable_steps.steps)


@steps.step("variable.create")
def create(call):
    # Only what a program names: Keras 3.0 to 3.9 have no `synchronization`.
    names = [name for name in ("synchronization", "aggregation") if call.has(name)]
    return keras.Variable(
        keras.ops.convert_to_tensor(call.argument("value"), call.dtype()),
        dtype=call.dtype(),
        trainable=call.argument("trainable", True),
        **{name: call.argument(name) for name in names},
    )


@steps.step("variable.create_random")
def create_random(call):
    initializer = keras.initializers.RandomUniform(-1, 1)
    return keras.Variable(initializer, shape=tuple(call.argument("shape")))


@steps.step("variable.read")
def read(call):
    # keras.ops.convert_to_tensor gives the variable itself, which goes on changing.
    return tf.convert_to_tensor(call.find("of"))


@steps.step("metric.state")
def metric_state(call):
    return getattr(call.find("of"), call.argument("name"))


@steps.step("variable.copies")
def copies(call):
    copies_ = variable_steps.copies_of(call.find("of").value)
    return tuple(copy.read_value() for copy in copies_)
