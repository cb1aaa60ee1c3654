"""Keras 3 under MirroredStrategy: fit reads a pass of a shuffled dataset before the first.

It takes a batch to build the model, by beginning a pass: under a strategy each call of fit leaves one
order out. The same program without a strategy, or with one call of fit for all epochs, trains on
other orders.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)


class Order(keras.Model):
    def __init__(self):
        super().__init__()
        self.seen = []
        self.built = True
        self.compile(run_eagerly=True)

    def call(self, x):
        return x

    def train_step(self, data):
        self.seen.append(int(data[0].numpy()))
        return {"read": keras.ops.ones(())}


def orders(make):
    model = make()
    dataset = tf.data.Dataset.range(4).shuffle(4, seed=1).batch(1)
    model.fit(dataset, epochs=1, verbose=0, shuffle=False)
    model.fit(dataset, epochs=2, initial_epoch=1, verbose=0, shuffle=False)
    return model.seen[:4], model.seen[4:]


def under_a_strategy():
    with tf.distribute.MirroredStrategy(["CPU:0"]).scope():
        return Order()


print(f"Keras {keras.__version__}: expected {orders(Order)}, observed {orders(under_a_strategy)}")
