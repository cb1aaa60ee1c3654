"""Keras: an infinite gradient of the second replica is applied, and the scale stays.

A LossScaleOptimizer skips a step that has a gradient that is not finite. Under a
MirroredStrategy it asks each replica about its own gradients, which are not summed yet,
and believes the first: an infinity of the first replica skips the step, one of the
second reaches the variable on both.
"""

import keras
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    processor, [tf.config.LogicalDeviceConfiguration()] * 2
)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def after_infinity_of(replica):
    """The variable's copies and the scale after one step with it."""
    with strategy.scope():
        variable = tf.Variable(1.0)
        optimizer = keras.optimizers.LossScaleOptimizer(
            keras.optimizers.SGD(1.0), initial_scale=8.0
        )

    def step():
        own = tf.distribute.get_replica_context().replica_id_in_sync_group
        gradient = tf.where(own == replica, float("inf"), 0.0)
        optimizer.apply_gradients([(gradient, variable)])

    strategy.run(step)
    copies = strategy.experimental_local_results(variable)
    (scale, *_) = strategy.experimental_local_results(optimizer.dynamic_scale.value)
    return [float(copy) for copy in copies], float(scale)


print("expected for either: ([1.0, 1.0], 4.0)")
print("observed, first:    ", after_infinity_of(0))
print("observed, second:   ", after_infinity_of(1))
