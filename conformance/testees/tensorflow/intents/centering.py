"""A layer that keeps numbers of its own, by variables of TensorFlow: each says how copies become one."""

import tensorflow as tf


class Centering(tf.keras.layers.Layer):
    """Each replica moves its own copy; who reads them outside gets their sum, or their mean."""

    def __init__(self, size, momentum):
        super().__init__()
        self.momentum = momentum
        self.seen = _of_each_replica(tf.zeros(()), tf.VariableAggregation.SUM)
        self.moving_mean = _of_each_replica(tf.zeros(size), tf.VariableAggregation.MEAN)

    def call(self, inputs, training=None):
        if not training:
            return inputs - tf.cast(self.moving_mean, inputs.dtype)  # intents.md (model.create, centering)
        rows = tf.cast(inputs, tf.float32)
        self.seen.assign_add(tf.cast(tf.shape(rows)[0], tf.float32))
        batch = tf.reduce_mean(rows, axis=0)
        # intents.md (model.create, centering)
        self.moving_mean.assign(self.momentum * self.moving_mean + (1 - self.momentum) * batch)
        return inputs


def _of_each_replica(first, aggregation):
    reading = tf.VariableSynchronization.ON_READ
    return tf.Variable(first, trainable=False, synchronization=reading, aggregation=aggregation)
