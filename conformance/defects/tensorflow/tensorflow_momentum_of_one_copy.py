"""TensorFlow with Keras 3: a restored optimizer moves the replicas' copies apart.

An optimizer makes its momentum in its first step. Where that step is the first one after a
restore, inside a run, the saved momentum reaches the first replica's copy alone: the second
copy of the variable moves without it. There is no error.
"""

import tempfile

import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def make():
    with strategy.scope():
        variable = tf.Variable(1.0)
        optimizer = tf.keras.optimizers.SGD(0.25, momentum=0.5)
    return variable, optimizer, tf.train.Checkpoint(v=variable, optimizer=optimizer)


def step(variable, optimizer):
    strategy.run(lambda: optimizer.apply_gradients([(tf.constant(0.5), variable)]))


variable, optimizer, checkpoint = make()
step(variable, optimizer)
path = checkpoint.save(tempfile.mkdtemp() + "/ckpt")
step(variable, optimizer)

restored, optimizer, checkpoint = make()
checkpoint.restore(path)
step(restored, optimizer)
copies = [copy.numpy() for copy in strategy.experimental_local_results(restored)]
print(f"expected {variable.numpy()} twice, as without the restore, observed {copies}")
