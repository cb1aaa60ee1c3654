"""Keras: the sum of the losses of an empty batch is no scalar but an empty vector.

A replica without data so has a loss of another shape than the others, and reducing
the replicas' losses fails. Inside a tf.function, where the batch size is not known,
the same loss is 0.
"""

import os

os.environ["KERAS_BACKEND"] = "tensorflow"
import keras
import tensorflow as tf

loss = keras.losses.MeanSquaredError(reduction="sum")
nothing = tf.zeros((0, 1))
traced = tf.function(loss, input_signature=[tf.TensorSpec((None, 1))] * 2)
print(f"expected 0.0, observed {loss(nothing, nothing).numpy()}")
print(f"in a tf.function observed {traced(nothing, nothing).numpy()}")
