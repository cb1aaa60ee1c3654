"""TensorFlow: gathering from replicas of which none has an entry ends the process.

Where one of them has an entry, it is gathered; where none has, the process gets a
segmentation fault before it can print.
"""

import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def gather(sizes):
    values = strategy.experimental_distribute_values_from_function(
        lambda context: tf.ones(sizes[context.replica_id_in_sync_group])
    )
    return strategy.gather(values, axis=0).numpy().tolist()


print("expected [1.0], then []")
print("observed", gather([1, 0]), flush=True)
print("observed", gather([0, 0]), flush=True)
