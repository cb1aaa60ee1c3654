"""Keras 3 under MirroredStrategy: train_on_batch gives the whole batch to every replica."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)


class Count(keras.metrics.Metric):
    def __init__(self):
        super().__init__(name="count")
        self.seen = self.add_weight(name="seen", shape=(), initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.seen.assign_add(keras.ops.cast(keras.ops.shape(y_pred)[0], "float32"))

    def result(self):
        return self.seen


x = np.ones((4, 1), "float32")
for devices in (["CPU:0"], ["CPU:0", "CPU:1"]):
    with tf.distribute.MirroredStrategy(devices).scope():
        model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
        model.compile("sgd", "mse", metrics=[Count()])
    seen = model.train_on_batch(x, x, return_dict=True)["count"]
    print(f"Keras {keras.__version__}, {len(devices)} replicas: examples, expected 4, observed {seen}")
