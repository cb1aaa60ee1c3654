"""TensorFlow: after a restart a shuffled dataset's next pass has another order than without one.

By design: the documentation of tf.raw_ops.ShuffleDataset says of reshuffle_each_iteration: "If
true, each iterator over this dataset will be given a different pseudorandomly generated seed, based
on a sequence seeded by the `seed` and `seed2` inputs." The sequence is the dataset's, and a
checkpoint has no datasets. The guide https://www.tensorflow.org/guide/data#iterator_checkpointing
has: "you can also checkpoint the progress of the dataset iterator."; a distributed one is refused.
Expected: behind one pass and a restart the order of the second. Observed: a new dataset begins
with the order of the first; with an iterator that was saved at its end, not distributed, it has
the order of the third.
"""

import os
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def made():
    return tf.data.Dataset.range(8).shuffle(8, seed=9).batch(8)


def order(dataset):
    return next(iter(dataset)).numpy().tolist()


whole = made()
first, second, third = (order(whole) for _ in range(3))
print(f"TensorFlow {tf.__version__}, without a restart: {first}, then {second}, then {third}")
print("a new dataset: expected", second, "observed", order(made()))
dataset = made()
iterator = iter(dataset)
list(iterator)
path = tf.train.Checkpoint(iterator=iterator).save(tempfile.mkdtemp() + "/place")
dataset = made()
iterator = iter(dataset)
tf.train.Checkpoint(iterator=iterator).restore(path)
print("with a saved iterator: left of the pass", list(iterator))
print("    and then: expected", second, "observed", order(dataset))
try:
    tf.train.Checkpoint(iterator=iter(strategy.experimental_distribute_dataset(made())))
except ValueError as error:
    print("a distributed iterator: ValueError:", str(error)[:90])
