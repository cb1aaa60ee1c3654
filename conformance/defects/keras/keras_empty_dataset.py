"""Keras: evaluating an empty dataset under a strategy raises a bare StopIteration.

To build the model, Keras takes the first step, of which there is none.
"""

import keras
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    model.compile(loss="mse")
nothing = tf.data.Dataset.from_tensor_slices((tf.zeros((0, 1)), tf.zeros((0, 1))))
try:
    print(f"observed {model.evaluate(nothing.batch(4), verbose=0)}")
except BaseException as error:
    print(f"expected no steps or a clear error, observed {type(error).__name__}")
