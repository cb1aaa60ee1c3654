"""Keras 3: a step for several batches takes only the weights that the last of them has a gradient for.

The documentation of `gradient_accumulation_steps` says: "model & optimizer variables will not be
updated at every step; instead they will be updated every `gradient_accumulation_steps` steps, using
the average value of the gradients since the last update." A weight that the first batch of a window
reaches and the second does not (no gradient: None) is not updated. Under MirroredStrategy the step
ends in an assertion where one replica has a gradient and another has none.

Expected: weights 1 - (1 + 0) / 2 = 0.5 and 1 - (1 + 1) / 2 = 0; where one of two replicas alone has
a gradient for the first weight 1 - (0.5 + 0) / 2 = 0.75.
"""

import os

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import keras
import tensorflow as tf

tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)


def train(strategy, all_reach):
    """Two batches; the second reaches the second weight alone."""
    with strategy.scope():
        weights = [keras.Variable(1.0), keras.Variable(1.0)]
        optimizer = keras.optimizers.SGD(1.0, gradient_accumulation_steps=2)
        optimizer.build(weights)
    share = 1.0 / strategy.num_replicas_in_sync

    def step(reached):
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        has_one = reached and (all_reach or replica == 0)
        gradients = [tf.constant(share) if has_one else None, tf.constant(share)]
        optimizer.apply_gradients(zip(gradients, weights))

    for reached in (True, False):
        strategy.run(step, args=(reached,))
    return [float(weight.numpy()) for weight in weights]


def show(replicas, all_reach, expected):
    strategy = tf.distribute.MirroredStrategy([f"CPU:{place}" for place in range(replicas)])
    try:
        observed = train(strategy, all_reach)
    except AssertionError as error:
        observed = f"AssertionError: {str(error)[:32]}"
    print(f"Keras {keras.__version__}, {replicas} replicas: expected {expected}, observed {observed}")


show(1, True, [0.5, 0.0])
show(2, True, [0.5, 0.0])
show(2, False, [0.75, 0.0])
