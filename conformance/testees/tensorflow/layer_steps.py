"""layer.*: the layers that TensorFlow offers, which are Keras's."""

import tensorflow as tf
from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("layer.dense")
def dense(call):
    kernel, bias = call.argument("kernel"), call.argument("bias", None)
    constant = tf.keras.initializers.Constant
    penalty = call.argument("kernel_l2", 0)
    layer = tf.keras.layers.Dense(
        len(kernel[0]) if kernel else 0,
        activation=call.argument("activation", "linear"),
        use_bias=bias is not None,
        kernel_initializer=constant(kernel),
        bias_initializer=constant(0 if bias is None else bias),
        kernel_regularizer=tf.keras.regularizers.L2(penalty) if penalty else None,
        dtype=call.argument("policy", None),
    )
    layer.build((None, len(kernel)))
    return layer


@steps.step("layer.batch_normalization")
def batch_normalization(call):
    layer = tf.keras.layers.BatchNormalization(
        momentum=call.argument("momentum", 0.99),
        epsilon=call.argument("epsilon", 1e-3),
        synchronized=call.argument("synchronized", False),
    )
    layer.build((None, call.argument("channels")))
    return layer


@steps.step("layer.max_pooling")
def max_pooling(call):
    return tf.keras.layers.MaxPooling2D((call.argument("rows"), call.argument("columns")))


@steps.step("layer.call")
def call_layer(call):
    training = call.argument("training", False)
    return call.find("of")(call.value("inputs"), training=training)


def find_weight(call):
    """The Keras variable."""
    return getattr(call.find("of"), call.argument("weight"))


@steps.step("layer.weight")
def weight(call):
    return find_weight(call).value
