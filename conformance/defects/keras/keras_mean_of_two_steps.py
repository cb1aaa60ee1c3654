"""Keras 3.7 to 3.9 under MirroredStrategy: the sums of a metric are multiplied each step.

A metric adds to its total on each replica, and the results are summed: what was there
before counts once a replica. keras-team/keras#21054; fixed in 3.10.0, by #21072.
"""

import keras
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    total = keras.metrics.Sum()


@tf.function
def step():
    strategy.run(lambda: total.update_state(1.0))


for _ in range(3):
    step()
print(f"Keras {keras.__version__}: expected 6.0, observed {float(total.result())}")
