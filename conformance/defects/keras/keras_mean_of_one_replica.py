"""Keras 3.0 to 3.6 under MirroredStrategy: a metric reports what the first replica saw.

The variables of a metric are made without saying that they are sums over the replicas.
keras-team/keras#20541; fixed in 3.7.0.
"""

import keras
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    mean = keras.metrics.Mean()


def step():
    replica = tf.distribute.get_replica_context().replica_id_in_sync_group
    mean.update_state(tf.cast(replica * 2 + 1, "float32"))  # 1 and 3


strategy.run(tf.function(step))
print(f"Keras {keras.__version__}: expected 2.0, observed {float(mean.result())}")
