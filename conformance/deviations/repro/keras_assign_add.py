"""Keras: adding to a variable that sums over replicas also sums what it held.

keras.Variable.assign_add(x) assigns `self + x`; with aggregation sum each replica hands
in its copy as well, so that 1 plus 10 and 20 gives 32 on two replicas. tf.Variable's
assign_add gives 31.
"""

import keras
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    processor, [tf.config.LogicalDeviceConfiguration()] * 2
)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    variable = keras.Variable(1.0, aggregation="sum")


@tf.function
def add():
    replica = tf.distribute.get_replica_context().replica_id_in_sync_group
    variable.assign_add(10.0 * tf.cast(replica + 1, tf.float32))


strategy.run(add)
print(f"expected 31.0, observed {variable.numpy()}")
