"""TensorFlow: the second of two strategies of unequal size in one process fails.

Every MirroredStrategy numbers its collective groups from 1, so the second one joins
the group of the first: InternalError "is joining a group with size3, but that group
has size 2 (group_key=1)".
"""

import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 3)


@tf.function
def total(strategy):
    def all_reduce():
        replica = tf.distribute.get_replica_context()
        return replica.all_reduce("sum", tf.constant(1.0))

    return strategy.experimental_local_results(strategy.run(all_reduce))


for size in (2, 3):
    strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(size)])
    print(f"{size} replicas, expected {size}: ", end="", flush=True)
    print([float(value) for value in total(strategy)])
