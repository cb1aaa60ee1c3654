"""Keras: evaluate and fit fail when the first global batch does not split evenly.

To build the model, Keras averages the first step's inputs over the replicas, which
wants equal shapes. The same data runs without a strategy, and with one when only a
later batch is uneven.
"""

import keras
import numpy as np
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    processor, [tf.config.LogicalDeviceConfiguration()] * 2
)
with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    model.compile(loss="mse")
x = np.ones((6, 1), "float32")
for batch_size in (4, 3):
    print(f"batches of {batch_size}, expected a loss: ", end="", flush=True)
    try:
        print(model.evaluate(x, x, batch_size=batch_size, verbose=0))
    except tf.errors.InvalidArgumentError as error:
        print("InvalidArgumentError:", str(error)[-120:])
