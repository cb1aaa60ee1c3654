"""optimizer.*, schedule.*: the optimizers that TensorFlow offers, which are Keras's."""

import tensorflow as tf

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.parameter_server.shards import all_shards

steps = StepTable()

KINDS = {
    "sgd": tf.keras.optimizers.SGD,
    "adam": tf.keras.optimizers.Adam,
    "rms_prop": tf.keras.optimizers.RMSprop,
    "adagrad": tf.keras.optimizers.Adagrad,
}
NUMBERS = (
    "momentum",
    "beta_1",
    "beta_2",
    "epsilon",
    "clipnorm",
    "global_clipnorm",
    "clipvalue",
    "weight_decay",
    "ema_momentum",
)


def number(call, name):
    """A float also where a program says 1: Keras computes with integers as such."""
    return float(call.argument(name))


@steps.step("optimizer.create")
def create(call):
    rate = call.find("schedule", None) or number(call, "learning_rate")
    options = {name: number(call, name) for name in NUMBERS if call.has(name)}
    for name in ("nesterov", "use_ema", "ema_overwrite_frequency"):
        if call.has(name):
            options[name] = call.argument(name)
    return KINDS[call.argument("kind")](rate, **options)


@steps.step("schedule.piecewise_constant")
def piecewise_constant(call):
    return tf.keras.optimizers.schedules.PiecewiseConstantDecay(
        call.argument("boundaries"), [float(value) for value in call.argument("values")]
    )


@steps.step("schedule.exponential_decay")
def exponential_decay(call):
    return tf.keras.optimizers.schedules.ExponentialDecay(
        number(call, "initial_learning_rate"),
        call.integer("decay_steps"),
        number(call, "decay_rate"),
        staircase=call.argument("staircase", False),
    )


@steps.step("optimizer.build")
def build(call):
    call.find("of").build(all_shards(call.find_all("variables")))


def pairs_of(call, gradients):
    """Gradients and their variables, part by part where a variable is divided."""
    return zip(tf.nest.flatten(gradients), all_shards(call.find_all("variables")), strict=True)


@steps.step("optimizer.apply_gradients")
def apply_gradients(call):
    if call.argument("skip_aggregation", False):
        raise Unsupported("Keras 3's optimizers always sum; the option went with Keras 2")
    call.find("of").apply_gradients(pairs_of(call, call.values("gradients")))


@steps.step("optimizer.finalize_variable_values")
def finalize_variable_values(call):
    call.find("of").finalize_variable_values(call.find_all("variables"))


def python_number(kind, value):
    """The value as a number of Python; inside a traced function as the tensor that it is."""
    tensor = tf.convert_to_tensor(value)
    return tensor if tf.is_symbolic_tensor(tensor) else kind(tensor)


@steps.step("optimizer.iterations")
def iterations(call):
    return python_number(int, call.find("of").iterations)


@steps.step("optimizer.learning_rate")
def learning_rate(call):
    return python_number(float, call.find("of").learning_rate)


@steps.step("optimizer.set_learning_rate")
def set_learning_rate(call):
    call.find("of").learning_rate = number(call, "value")


@steps.step("optimizer.with_loss_scale")
def with_loss_scale(call):
    options = {}
    if call.has("initial_scale"):
        options["initial_scale"] = number(call, "initial_scale")
    if call.has("dynamic_growth_steps"):
        options["dynamic_growth_steps"] = call.argument("dynamic_growth_steps")
    return tf.keras.mixed_precision.LossScaleOptimizer(call.find("of"), **options)


@steps.step("optimizer.scale_loss")
def scale_loss(call):
    return call.find("of").scale_loss(call.value("loss"))


@steps.step("optimizer.loss_scale")
def loss_scale(call):
    """An optimizer has the variable only once it has met the variables it trains."""
    optimizer = call.find("of")
    scale = optimizer.dynamic_scale if optimizer.built else optimizer.initial_scale
    return python_number(float, scale)


def find_slot(call):
    """The Keras variable: those of an optimizer are named after what they keep."""
    optimizer, variable = call.find("of"), call.find("variable")
    optimizer = getattr(optimizer, "inner_optimizer", optimizer)
    slots = [v for v in optimizer.variables if v.path.endswith(call.argument("slot"))]
    return slots[optimizer._get_variable_index(variable)]


@steps.step("optimizer.slot")
def slot(call):
    return find_slot(call).value
