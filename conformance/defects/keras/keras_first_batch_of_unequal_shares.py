"""Keras 3 under MirroredStrategy: a first batch that does not split into equal shares is an error.

To build the model, fit and evaluate average the first step's inputs over the replicas, with
strategy.reduce("MEAN", ..., axis=None) (Trainer._maybe_symbolic_build). The docstring of
tf.distribute.Strategy.reduce says of a last partial batch: "you would get a shape mismatch unless
you specify `axis=0`". Expected of one replica: of a batch of 3 a step to 0.5625, of 2 examples a
loss of 2.5. Observed with 3 on two replicas and with 2 on four: InvalidArgumentError. A model that
is built already fails too. Public issue: keras-team/keras#19246.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 4)
x = np.array([[1], [2], [3]], "float32")
y = np.zeros((3, 1), "float32")


def fit():
    model.fit(x, y, batch_size=3, verbose=0)
    return np.asarray(dense.kernel).item()


def observed(step):
    try:
        return step()
    except tf.errors.InvalidArgumentError as error:
        return "InvalidArgumentError: " + str(error)[-110:]


for replicas in (1, 2, 4):
    with tf.distribute.MirroredStrategy([f"CPU:{at}" for at in range(replicas)]).scope():
        dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
        model = keras.Sequential([keras.Input((1,)), dense])
        model.compile(keras.optimizers.SGD(0.046875), "mse")
    label = f"Keras {keras.__version__}, {replicas} replicas:"
    loss = observed(lambda: model.evaluate(x[:2], y[:2], batch_size=4, verbose=0))
    print(label, "evaluate of 2 examples, expected a loss of 2.5, observed", loss)
    print(label, "fit of 3 examples, expected a kernel of 0.5625, observed", observed(fit))
