"""Keras: evaluating rows of different lengths fails on two replicas, not on one; predict works on both.

Expected: the mean of the squared sums 3, 3, 15 and 7 of the rows, 73.
"""

import keras
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)


class Sums(keras.Model):
    def call(self, rows):
        return tf.reduce_sum(rows, axis=1)[:, None]


rows = tf.ragged.constant([[1.0, 2.0], [3.0], [4.0, 5.0, 6.0], [7.0]])
data = tf.data.Dataset.from_tensor_slices((rows, tf.zeros((4, 1)))).batch(4)
for devices in (["CPU:0"], ["CPU:0", "CPU:1"]):
    with tf.distribute.MirroredStrategy(devices).scope():
        model = Sums()
        model.compile(loss="mse")
    predicted = model.predict(data, verbose=0)[:, 0].tolist()
    try:
        observed = model.evaluate(data, verbose=0)
    except Exception as error:
        observed = f"{type(error).__name__}: {error}"
    print(f"{len(devices)} replicas: predicted {predicted}; expected a loss of 73.0, observed {observed}")
