"""TensorFlow: assigning in a run without an aggregation leaves unequal copies.

tf.VariableAggregation says of NONE: `giving an error if you use a variable-update
operation with multiple replicas`. There is no error, and what is read outside a run,
or saved, is the first copy alone.
"""

import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    variable = tf.Variable(1.0, aggregation=tf.VariableAggregation.NONE)


@tf.function
def assign():
    replica = tf.distribute.get_replica_context().replica_id_in_sync_group
    variable.assign(10.0 + tf.cast(replica, tf.float32))


strategy.run(assign)
copies = [copy.numpy() for copy in strategy.experimental_local_results(variable)]
print(f"expected an error or equal copies, observed {copies}")
