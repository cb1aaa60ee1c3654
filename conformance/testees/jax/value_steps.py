"""value.*: jax.numpy's arithmetic, and looking at values."""

import jax.numpy as jnp

from conformance.testees.jax.per_replica import is_per_replica, tree_map
from conformance.testees.python.errors import StepError, Unsupported
from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("value.constant")
def constant(call):
    return call.testee.literal(call.argument("value"), call.dtype())


@steps.step("value.show")
def show(call):
    form = call.argument("of")
    if isinstance(form, dict):
        return {key: call.environment.find(name) for key, name in form.items()}
    return call.value("of")


@steps.step("value.shape")
def shape(call):
    return _describe(call.value("of"), lambda array: list(array.shape))


@steps.step("value.dtype")
def dtype(call):
    return _describe(call.value("of"), call.testee.dtype_of)


@steps.step("value.add")
def add(call):
    return jnp.add(*call.pair("a", "b"))


@steps.step("value.multiply")
def multiply(call):
    return jnp.multiply(*call.pair("a", "b"))


@steps.step("value.square")
def square(call):
    return jnp.square(call.value("of"))


@steps.step("value.sum")
def sum_(call):
    return jnp.sum(call.value("of"))


@steps.step("value.mean")
def mean(call):
    return jnp.mean(call.value("of"))


@steps.step("value.fail")
def fail(call):
    if call.has("on_replica"):
        raise Unsupported("one program is compiled for all replicas")
    raise StepError("InvalidArgument", "the program says so", "value.fail")


def _describe(value, function):
    """function(array), leaf by leaf and replica by replica."""

    def of_leaf(leaf):
        if is_per_replica(leaf):
            return [function(own) for own in leaf.stacked]
        return function(leaf)

    return tree_map(of_leaf, value)
