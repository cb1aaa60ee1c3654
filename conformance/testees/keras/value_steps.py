"""value.*: keras.ops."""

import keras

from conformance.testees.python.step_table import StepTable
from conformance.testees.python.value_steps import arithmetic
from conformance.testees.tensorflow import value_steps

steps = StepTable(
    value_steps.steps,
    arithmetic(
        add=keras.ops.add,
        multiply=keras.ops.multiply,
        divide=keras.ops.divide,
        square=keras.ops.square,
        sum_=keras.ops.sum,
        mean=keras.ops.mean,
    ),
)


@steps.step("value.cast")
def cast(call):
    return keras.ops.cast(call.value("of"), call.dtype())
