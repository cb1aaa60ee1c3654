"""value.*: keras.ops."""

import keras
from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow import value_steps

steps = StepTable(value_steps.steps)


@steps.step("value.constant")
def constant(call):
    return keras.ops.convert_to_tensor(call.argument("value"), call.dtype())


@steps.step("value.add")
def add(call):
    return keras.ops.add(*call.pair("a", "b"))


@steps.step("value.multiply")
def multiply(call):
    return keras.ops.multiply(*call.pair("a", "b"))


@steps.step("value.square")
def square(call):
    return keras.ops.square(call.value("of"))


@steps.step("value.sum")
def sum_(call):
    return keras.ops.sum(call.value("of"))


@steps.step("value.mean")
def mean(call):
    return keras.ops.mean(call.value("of"))
