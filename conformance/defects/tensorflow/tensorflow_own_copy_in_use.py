"""TensorFlow: a model that keeps a moving mean of its own measures by that of each replica.

By design: the documentation of `tf.VariableSynchronization` says of ON_READ that the variable "will
be aggregated across devices when it is read (eg. when checkpointing or when evaluating an op that
uses the variable)"; of a replica that reads it in `run` it gives that replica's own copy. So one
example has as many outputs as there are replicas, also with the moving moments of Keras 2.

Expected of a layer that takes its moving mean off: the same for the same example, 4 - 3 = 1.
"""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    mean = tf.Variable(
        0.0,
        trainable=False,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.MEAN,
    )


@tf.function
def train(batch):
    strategy.run(lambda own: mean.assign(tf.reduce_mean(own)), args=(batch,))


@tf.function
def predict(batch):
    return strategy.run(lambda own: own - mean, args=(batch,))


def divided(numbers):
    (batch,) = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(numbers).batch(4))
    return batch


train(divided([0.0, 2.0, 2.0, 8.0]))
outputs = strategy.gather(predict(divided([4.0, 4.0, 4.0, 4.0])), axis=0).numpy().tolist()
print(f"TensorFlow {tf.__version__}: mean {mean.numpy()}, expected [1.0, 1.0, 1.0, 1.0], observed {outputs}")
