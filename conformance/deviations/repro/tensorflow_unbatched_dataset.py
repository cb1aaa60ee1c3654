"""TensorFlow: a dataset without batches is refused by a bare IndexError.

The rebatching code means to say `You can fix the issue by adding the batch
transformation`; before it comes to that it indexes an empty shape.
"""

import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    processor, [tf.config.LogicalDeviceConfiguration()] * 2
)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
try:
    strategy.experimental_distribute_dataset(tf.data.Dataset.range(4))
except Exception as error:
    print(f"expected ValueError, observed {type(error).__name__}: {error}")
