"""TensorFlow: on one replica, an all-reduce of an argument of a traced run is an error.

tf.distribute.ReplicaContext.all_reduce is documented to work inside tf.function. Expected of 3 on
each replica: 3 on one, 6 on two, eagerly and traced. Observed on one replica in tf.function:
ValueError "destinations can not be empty", because the argument has no device while it is traced.
What is computed from it, such as a gradient, has one.
"""

import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)


def all_reduce(value):
    return tf.distribute.get_replica_context().all_reduce("sum", value)


def observed(step, values):
    try:
        return [float(value) for value in step(values)]
    except ValueError as error:
        return "ValueError: " + str(error).splitlines()[-1].strip()


for replicas in (1, 2):
    strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)])
    values = strategy.experimental_distribute_values_from_function(lambda context: tf.constant(3.0))

    def step(values):
        return strategy.experimental_local_results(strategy.run(all_reduce, args=(values,)))

    print(f"{replicas} replicas, expected {[3.0 * replicas] * replicas}, observed eagerly", observed(step, values))
    print(f"    in a tf.function {observed(tf.function(step, autograph=False), values)}")
