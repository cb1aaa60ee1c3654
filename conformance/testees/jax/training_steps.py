"""Variables, losses, gradients and optimizers: arrays on every device, jax.grad, optax.

JAX has no variables: a step takes the parameters and gives new ones. Here they are the
`state` of an object; strategy.run hands all states to its function and takes them back.
"""

import secrets

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import multihost_utils

from conformance.testees.jax.per_replica import AXIS, is_on_replica, on_each_device, sharding
from conformance.testees.jax.tracing import fill
from conformance.testees.python.environment import observation_names
from conformance.testees.python.errors import Unsupported
from conformance.testees.python.observation import observation_of
from conformance.testees.python.step_table import StepTable

steps = StepTable()

# With the defaults of operations.md, which are not optax's.
RULES = {
    "sgd": (optax.sgd, {}),
    "adam": (optax.adam, {"eps": 1e-7}),
    "rms_prop": (optax.rmsprop, {"decay": 0.9, "eps": 1e-7}),
    "adagrad": (optax.adagrad, {"initial_accumulator_value": 0.1, "eps": 1e-7}),
}
# What operations.md calls an option, and optax.
OPTIONS = {"momentum": "momentum", "nesterov": "nesterov", "beta_1": "b1", "beta_2": "b2", "epsilon": "eps"}


class Variable:
    """`state` is the same array on every device of the mesh in force."""

    def __init__(self, value):
        mesh = jax.sharding.get_mesh()
        self.state = value if mesh.empty else jax.device_put(value, sharding(mesh))


class Optimizer:
    """A transformation of optax with a state for each list of variables it meets."""

    def __init__(self, transformation):
        self._transformation = transformation
        self.state = {}

    def update(self, gradients, variables):
        key = "+".join(str(id(variable)) for variable in variables)
        values = [variable.state for variable in variables]
        state = self.state.get(key, self._transformation.init(values))
        updates, new_state = self._transformation.update(gradients, state, values)
        self.state = {**self.state, key: new_state}
        for variable, value in zip(variables, optax.apply_updates(values, updates)):
            variable.state = value


@steps.step("variable.create")
def create_variable(call):
    if call.argument("synchronization", "auto") != "auto":
        raise Unsupported("the copies of an array are equal at all times")
    if call.argument("aggregation", "none") != "none":
        raise Unsupported("a new value of an array is aggregated by the program")
    value = call.testee.literal(call.argument("value"), call.dtype())
    return call.testee.keep(Variable(value))


@steps.step("variable.create_random")
def create_random(call):
    seed = multihost_utils.broadcast_one_to_all(np.uint32(secrets.randbits(32)))
    key = jax.random.key(seed)
    return call.testee.keep(Variable(jax.random.normal(key, call.argument("shape"))))


@steps.step("variable.read")
def read(call):
    return call.find("of").state


@steps.step("variable.copies")
def copies(call):
    return on_each_device(call.find("of").state)


@steps.step("variable.assign")
def assign(call):
    variable = call.find("of")
    variable.state = variable.state.at[...].set(_new_value(call, variable))


@steps.step("variable.assign_add")
def assign_add(call):
    variable = call.find("of")
    variable.state = variable.state.at[...].add(_new_value(call, variable))


@steps.step("variable.assign_sub")
def assign_sub(call):
    variable = call.find("of")
    variable.state = variable.state.at[...].subtract(_new_value(call, variable))


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
    sources = [call.environment.find(name) for name in names]
    lets = [step["let"] for step in call.argument("program") if "let" in step]

    def target(*values):
        for name, source, value in zip(names, sources, values):
            if isinstance(source, Variable):
                source.state = value
            else:
                call.environment.bind(name, value)
        with call.testee.tracing.collect() as observed:
            call.run_block_here()
        bound = {name: call.environment.find(name) for name in lets}
        return call.find("target"), (bound, observed)

    before = [_state(source) for source in sources]
    own = [_own(value) for value in before]
    with_gradients = jax.grad(target, argnums=tuple(range(len(own))), has_aux=True)
    try:
        gradients, (bound, observed) = with_gradients(*own)
    finally:
        for name, source, value in zip(names, sources, before):
            if isinstance(source, Variable):
                source.state = value
            else:
                call.environment.bind(name, value)
    for name, value in bound.items():
        call.environment.bind(name, value)
    _fill_observations(call, observed)
    return gradients


@steps.step("optimizer.create")
def create_optimizer(call):
    for option in ("clipnorm", "global_clipnorm", "clipvalue", "weight_decay"):
        if call.has(option):
            raise Unsupported("optax chains rules for this, in an order of the program's")
    if call.argument("use_ema", False):
        raise Unsupported("optax's ema averages what a rule is given, updates or gradients, and no variables")
    rate = call.find("schedule", None) or call.argument("learning_rate")
    make, options = RULES[call.argument("kind")]
    for name, ours in OPTIONS.items():
        if call.has(name):
            options = {**options, ours: call.argument(name)}
    return call.testee.keep(Optimizer(make(rate, **options)))


@steps.step("schedule.exponential_decay")
def exponential_decay(call):
    return optax.exponential_decay(
        call.argument("initial_learning_rate"),
        call.argument("decay_steps"),
        call.argument("decay_rate"),
        staircase=call.argument("staircase", False),
    )


@steps.step("optimizer.apply_gradients")
def apply_gradients(call):
    has_replicas = not jax.sharding.get_abstract_mesh().empty
    if has_replicas and not call.argument("skip_aggregation", False):
        raise Unsupported("optax takes gradients as they are, and sums none over replicas")
    call.find("of").update(call.values("gradients"), call.find_all("variables"))


def _new_value(call, variable):
    return call.value("value", dtype=call.testee.dtype_of(variable.state))


def _state(source):
    return source.state if isinstance(source, Variable) else source


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
