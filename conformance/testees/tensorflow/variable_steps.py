"""variable.*: tf.Variable, mirrored or summed on read under a strategy."""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("variable.create")
def create(call):
    synchronization = call.argument("synchronization", "auto").upper()
    return tf.Variable(
        tf.constant(call.argument("value"), call.dtype()),
        trainable=call.argument("trainable", None),
        synchronization=tf.VariableSynchronization[synchronization],
        aggregation=tf.VariableAggregation[call.argument("aggregation", "none").upper()],
    )


@steps.step("variable.create_random")
def create_random(call):
    shape = call.argument("shape")
    return tf.Variable(lambda: tf.random.uniform(shape, -1, 1))


@steps.step("variable.read")
def read(call):
    variable = call.find("of")
    # One that is divided among parameter servers has no method for it.
    return variable.read_value() if hasattr(variable, "read_value") else tf.convert_to_tensor(variable)


def copies_of(variable):
    """The variables that a distributed one consists of; a plain one is its own."""
    in_force = tf.distribute.get_strategy()
    strategy = getattr(variable, "distribute_strategy", in_force)
    return strategy.experimental_local_results(variable)


@steps.step("variable.copies")
def copies(call):
    return tuple(copy.read_value() for copy in copies_of(call.find("of")))


def value_for(call, variable):
    return call.value("value", dtype=tf.as_dtype(variable.dtype).name)


@steps.step("variable.assign")
def assign(call):
    variable = call.find("of")
    variable.assign(value_for(call, variable))


@steps.step("variable.assign_add")
def assign_add(call):
    variable = call.find("of")
    variable.assign_add(value_for(call, variable))


@steps.step("variable.assign_sub")
def assign_sub(call):
    variable = call.find("of")
    variable.assign_sub(value_for(call, variable))
