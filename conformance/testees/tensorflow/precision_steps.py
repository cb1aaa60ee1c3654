"""precision.*, layer.*: the policies and layers that TensorFlow offers, which are Keras's."""

import tensorflow as tf
from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("precision.policy")
def policy(call):
    made = tf.keras.mixed_precision.DTypePolicy(call.argument("name"))
    return {
        "name": made.name,
        "compute_dtype": made.compute_dtype,
        "variable_dtype": made.variable_dtype,
    }


@steps.step("precision.set_policy")
def set_policy(call):
    tf.keras.config.set_dtype_policy(call.argument("name"))


@steps.step("layer.dense")
def dense(call):
    kernel, bias = call.argument("kernel"), call.argument("bias", None)
    constant = tf.keras.initializers.Constant
    layer = tf.keras.layers.Dense(
        len(kernel[0]),
        activation=call.argument("activation", "linear"),
        use_bias=bias is not None,
        kernel_initializer=constant(kernel),
        bias_initializer=constant(0 if bias is None else bias),
        dtype=call.argument("policy", None),
    )
    layer.build((None, len(kernel)))
    return layer


@steps.step("layer.call")
def call_layer(call):
    return call.find("of")(call.value("inputs"))


def find_weight(call):
    """The Keras variable."""
    return getattr(call.find("of"), call.argument("weight"))


@steps.step("layer.weight")
def weight(call):
    return find_weight(call).value
