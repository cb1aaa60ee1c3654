"""Keras 3 under MirroredStrategy: all replicas drop the same places.

A dropout layer's seed generator has the same state on each replica, so that their masks are
equal: example r of the first replica and of the second lose the same inputs, where examples of
one replica lose others. The docstring of keras.random.SeedGenerator says nothing of strategies.
That of tf.random.Generator says: "When creating a generator inside a `tf.distribute.Strategy`
scope, each replica will get a different stream of random numbers."
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
x = np.ones((4, 16), "float32")


class Dropped(keras.Model):
    def __init__(self):
        super().__init__()
        self.drop = keras.layers.Dropout(0.5, seed=1)

    def call(self, x, training=None):
        return self.drop(x, training=True)


for devices in (["CPU:0"], ["CPU:0", "CPU:1"]):
    with tf.distribute.MirroredStrategy(devices).scope():
        model = Dropped()
    masks = model.predict(x, batch_size=4, verbose=0) > 0
    rows = ["".join("x" if kept else "." for kept in row) for row in masks]
    strategy = model.distribute_strategy
    state = model.drop.seed_generator.state
    copies = [c.numpy().tolist() for c in strategy.experimental_local_results(state.value)]
    print(
        f"Keras {keras.__version__}, {len(devices)} replicas: expected 4 masks, observed {len(set(rows))}: {rows} {copies}"
    )
