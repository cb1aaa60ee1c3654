"""value.*: TensorFlow's arithmetic, and looking at values."""

import tensorflow as tf

from conformance.testees.python import value_steps
from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.distributed import Distributed, mark_where_it_differs

steps = StepTable(
    value_steps.steps,
    value_steps.arithmetic(
        add=tf.add, multiply=tf.multiply, divide=tf.divide, square=tf.square, sum_=tf.reduce_sum, mean=tf.reduce_mean
    ),
)


def describe(value, function):
    """function(tensor) in the form of the structure, replica by replica."""
    if isinstance(value, Distributed):
        return [describe(own, function) for own in value.local_results()]
    if isinstance(value, dict):
        return {key: describe(part, function) for key, part in value.items()}
    if isinstance(value, tuple):
        return [describe(part, function) for part in value]
    return function(value)


@steps.step("value.show")
def show(call):
    of = call.argument("of")
    if isinstance(of, dict):
        return mark_where_it_differs(call.bindings("of"))
    return mark_where_it_differs(call.value("of"))


def dimensions(tensor):
    """Of a tensor that is traced they may differ from call to call."""
    return tf.shape(tensor) if tf.is_symbolic_tensor(tensor) else tensor.shape.as_list()


@steps.step("value.shape")
def shape(call):
    return describe(call.value("of"), dimensions)


@steps.step("value.dtype")
def dtype(call):
    return describe(call.value("of"), lambda tensor: tensor.dtype.name)


@steps.step("value.device")
def device(call):
    return describe(call.value("of"), lambda tensor: tensor.device.rpartition("/device:")[2])


@steps.step("value.cast")
def cast(call):
    return tf.cast(call.value("of"), call.dtype())


@steps.step("value.fail")
def fail(call):
    replica = tf.distribute.get_replica_context()
    own = None if replica is None else int(tf.get_static_value(replica.replica_id_in_sync_group))
    is_fine = call.argument("on_replica", own) != own
    tf.debugging.Assert(is_fine, [f"failing on replica {own}, as asked to"])
