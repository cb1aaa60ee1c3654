"""Keras 3.0 to 3.4.1 under MirroredStrategy: each replica trains on its own gradients.

Where the optimizer asks for the sum over the replicas it is outside of them already, and
gets back what it gave. The copies of a variable drift apart. keras-team/keras#19969 and
#20051; fixed in 3.5.0.
"""

import keras
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    variable = tf.Variable(10.0)
    optimizer = keras.optimizers.SGD(1.0)
    optimizer.build([variable])


def step():
    replica = tf.distribute.get_replica_context().replica_id_in_sync_group
    gradient = tf.cast(replica + 1, "float32")  # 1 and 2
    optimizer.apply_gradients([(gradient, variable)])


strategy.run(tf.function(step))
copies = [float(copy) for copy in strategy.experimental_local_results(variable)]
print(f"Keras {keras.__version__}: expected [7.0, 7.0], observed {copies}")
