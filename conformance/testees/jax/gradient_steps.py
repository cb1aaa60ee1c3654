"""Losses and gradients: optax's, and jax.grad of a block. A step gives new arrays; none keeps any."""

import jax
import jax.numpy as jnp
import optax

from conformance.testees.jax.per_replica import AXIS, is_on_replica
from conformance.testees.python.tracing import fill
from conformance.testees.python.environment import observation_names
from conformance.testees.python.errors import Unsupported
from conformance.testees.python.observation import observation_of
from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("loss.compute")
def compute(call):
    if call.argument("kind") == "mean_squared_error":
        raise Unsupported("optax has a squared error, and no mean of it")
    if call.argument("reduction") != "none":
        raise Unsupported("the losses of optax reduce nothing")
    return optax.losses.softmax_cross_entropy_with_integer_labels(
        call.value("predictions"), call.value("labels").astype(jnp.int32)
    )


@steps.step("gradient.tape")
def tape(call):
    names = call.argument("sources")
    values = [call.environment.find(name) for name in names]
    lets = [step["let"] for step in call.argument("program") if "let" in step]

    def target(*traced):
        _bind(call, dict(zip(names, traced)))
        with call.testee.tracing.collect() as observed:
            call.run_block_here()
        bound = {name: call.environment.find(name) for name in lets}
        return call.find("target"), (bound, observed)

    own = [_own(value) for value in values]
    with_gradients = jax.grad(target, argnums=tuple(range(len(own))), has_aux=True)
    try:
        gradients, (bound, observed) = with_gradients(*own)
    finally:
        _bind(call, dict(zip(names, values)))
    _bind(call, bound)
    _fill_observations(call, observed)
    return gradients


def _bind(call, values):
    for name, value in values.items():
        call.environment.bind(name, value)


def _own(value):
    """The value as this replica's own, so that its gradient is that of its own loss."""
    if not is_on_replica() or AXIS in jax.typeof(value).manual_axis_type.varying:
        return value
    return jax.lax.pcast(value, AXIS, to="varying")


def _fill_observations(call, observed):
    plain = call.testee.plain
    observations = call.environment.observations
    for name in observation_names(call.argument("program")):
        observations[name] = fill(observations[name], lambda n: observation_of(observed[n], plain))
