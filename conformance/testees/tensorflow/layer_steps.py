"""layer.*: the layers that TensorFlow offers, which are Keras's."""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable

steps = StepTable()


def make_dense(kernel, bias=None, activation="linear", penalty=0, policy=None):
    """Built, with these weights; so often the sum of the kernel's squares is a loss."""
    constant = tf.keras.initializers.Constant
    layer = tf.keras.layers.Dense(
        len(kernel[0]) if kernel else 0,
        activation=activation,
        use_bias=bias is not None,
        kernel_initializer=constant(kernel),
        bias_initializer=constant(0 if bias is None else bias),
        kernel_regularizer=tf.keras.regularizers.L2(penalty) if penalty else None,
        dtype=policy,
    )
    layer.build((None, len(kernel)))
    return layer


@steps.step("layer.dense")
def dense(call):
    return make_dense(
        call.argument("kernel"),
        call.argument("bias", None),
        call.argument("activation", "linear"),
        call.argument("kernel_l2", 0),
        call.argument("policy", None),
    )


@steps.step("layer.convolution")
def convolution(call):
    constant, kernel = tf.keras.initializers.Constant, call.argument("kernel")
    layer = tf.keras.layers.Conv2D(
        filters=len(kernel[0][0][0]),
        kernel_size=(len(kernel), len(kernel[0])),
        activation=call.argument("activation", "linear"),
        use_bias=call.has("bias"),
        kernel_initializer=constant(kernel),
        bias_initializer=constant(call.argument("bias", 0)),
    )
    layer.build((None, None, None, len(kernel[0][0])))
    return layer


@steps.step("layer.flatten")
def flatten(call):
    return tf.keras.layers.Flatten()


def make_batch_normalization(channels, axis=-1, **options):
    """Built, of so many channels: of rows, or of images that have them first."""
    layer = tf.keras.layers.BatchNormalization(axis=axis, **options)
    layer.build((None, channels) if axis == -1 else (None, channels, None, None))
    return layer


@steps.step("layer.batch_normalization")
def batch_normalization(call):
    return make_batch_normalization(
        call.argument("channels"),
        axis=call.argument("axis", -1),
        momentum=call.argument("momentum", 0.99),
        epsilon=call.argument("epsilon", 1e-3),
        synchronized=call.argument("synchronized", False),
    )


@steps.step("layer.dropout")
def dropout(call):
    return tf.keras.layers.Dropout(call.argument("rate"), seed=call.argument("seed", None))


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
