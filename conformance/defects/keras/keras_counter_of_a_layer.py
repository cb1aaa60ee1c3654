"""Keras 3 under MirroredStrategy: a weight that replicas add up is added to itself in every step.

The docstring of `Layer.add_weight` says of `aggregation`: "Annotates the variable with the type of
multi-replica aggregation to be used for this variable when writing custom data parallel training
loops." `assign_add` assigns the old value and the addend, and the sum is over both: with N replicas
the old value counts N times.

Expected of a layer that counts the examples that it is trained on, 4 a step: 4, 8, 12.
"""

import os

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import keras
import numpy as np
import tensorflow as tf


class Counter(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.seen = self.add_weight(shape=(), initializer="zeros", trainable=False, aggregation="sum")

    def call(self, inputs, training=None):
        if training:
            self.seen.assign_add(keras.ops.cast(keras.ops.shape(inputs)[0], "float32"))
        return inputs


(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
x = np.zeros((4, 1), "float32")
for devices in (["CPU:0"], ["CPU:0", "CPU:1"]):
    with tf.distribute.MirroredStrategy(devices).scope():
        counter = Counter()
        model = keras.Sequential([keras.Input((1,)), counter, keras.layers.Dense(1)])
        model.compile(keras.optimizers.SGD(0.0), "mse")
    counts = []
    for _ in range(3):
        model.fit(x, x, batch_size=4, verbose=0)
        counts.append(float(counter.seen.numpy()))
    print(f"Keras {keras.__version__}, {len(devices)} replicas: expected [4.0, 8.0, 12.0], observed {counts}")
