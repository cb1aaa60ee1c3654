"""value.*: jax.numpy's arithmetic, and looking at values."""

import jax.numpy as jnp

from conformance.testees.jax.per_replica import is_per_replica, own_rows, tree_map
from conformance.testees.python import value_steps
from conformance.testees.python.errors import StepError, Unsupported
from conformance.testees.python.step_table import StepTable

steps = StepTable(
    value_steps.steps,
    value_steps.arithmetic(
        add=jnp.add, multiply=jnp.multiply, divide=jnp.divide, square=jnp.square, sum_=jnp.sum, mean=jnp.mean
    ),
)


@steps.step("value.shape")
def shape(call):
    return _describe(call.value("of"), lambda array: list(array.shape))


@steps.step("value.dtype")
def dtype(call):
    return _describe(call.value("of"), call.testee.dtype_of)


@steps.step("value.cast")
def cast(call):
    return jnp.asarray(call.value("of")).astype(call.dtype())


@steps.step("value.fail")
def fail(call):
    if call.has("on_replica"):
        raise Unsupported("one program is compiled for all replicas")
    raise StepError("InvalidArgument", "the program says so", "value.fail")


def _describe(value, function):
    """function(array), leaf by leaf and replica by replica."""

    def of_leaf(leaf):
        if is_per_replica(leaf):
            return [function(own) for own in own_rows(leaf.stacked)]
        return function(leaf)

    return tree_map(of_leaf, value)
