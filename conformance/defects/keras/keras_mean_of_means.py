"""Keras 3 under MirroredStrategy: the loss of a batch is the mean of the replicas' means.

Shares of a last batch of 3 are 2 and 1; an example of the smaller one counts twice. With ignore_class
the same where tokens that count are unequal, with equal shares too.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
x = np.ones((7, 1), "float32")
y = np.array([[1], [1], [1], [1], [1], [1], [0]], "float32")
labels = np.array([[0, -1], [1, 1]])
for devices in (["CPU:0"], ["CPU:0", "CPU:1"]):
    with tf.distribute.MirroredStrategy(devices).scope():
        dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
        model = keras.Sequential([keras.Input((1,)), dense])
        model.compile(keras.optimizers.SGD(0.375), "mse")
        bias = keras.layers.EinsumDense("btc,cd->btd", (None, 2), bias_axes="d", kernel_initializer="zeros")
        tokens = keras.Sequential([keras.Input((2, 1)), bias])
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=-1)
        tokens.compile(keras.optimizers.SGD(1.0), loss)
    model.fit(x, y, batch_size=4, shuffle=False, verbose=0)
    tokens.fit(np.ones((2, 2, 1), "float32"), labels, batch_size=2, shuffle=False, verbose=0)
    print(
        f"Keras {keras.__version__}, {len(devices)} replicas: kernel, expected 0.75, observed",
        np.asarray(dense.kernel).item(),
        "; bias of tokens, expected [-0.1667, 0.1667], observed",
        np.round(np.asarray(bias.bias), 4).tolist(),
    )
