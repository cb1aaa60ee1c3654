"""TensorFlow: a loop over a distributed dataset of full batches loses the last step.

Three batches of statically known shape, one per replica and step, on two replicas: the
document promises an empty batch for the replica that has none. Looping ends after the
first step; get_next_as_optional over the same dataset gives the second.
"""

import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
inputs = strategy.distribute_datasets_from_function(
    lambda context: tf.data.Dataset.range(6).batch(2, drop_remainder=True)
)


def numbers(step):
    parts = strategy.experimental_local_results(step)
    return [part.numpy().tolist() for part in parts]


print("expected [[0, 1], [2, 3]] and [[4, 5], []]")
print("observed by looping:  ", [numbers(step) for step in inputs])
iterator = iter(inputs)
optionals = [iterator.get_next_as_optional() for _ in range(2)]
print("observed by optionals:", [numbers(maybe.get_value()) for maybe in optionals])
