"""TensorFlow's documented loop under MirroredStrategy: a short last batch counts less.

By design: the tutorial https://www.tensorflow.org/tutorials/distribute/custom_training divides
the loss by one GLOBAL_BATCH_SIZE with tf.nn.compute_average_loss, whose docstring says: "Scalar
loss value, obtained by summing the `per_example_loss` and dividing by `global_batch_size`."; the
loss of a pass is total_loss / num_batches. Expected of one replica that takes means: a step by the
mean over a batch's own examples, and the mean over a pass's examples as its loss. Observed, on one
replica as on two: the step of a last batch of 2 of 4 examples is half as long, of 3 three quarters,
of 1 a quarter, and the loss of a pass of 4 and 2 examples is 4.5, not 6.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
GLOBAL_BATCH_SIZE = 4


def train(strategy, inputs, rate):
    """A pass of the tutorial's loop over y = k x, to 0; gives k and the loss of the pass."""
    with strategy.scope():
        kernel = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)

    def train_step(x):
        with tf.GradientTape() as tape:
            losses = tf.square(kernel * x)
            loss = tf.nn.compute_average_loss(losses, global_batch_size=GLOBAL_BATCH_SIZE)
        kernel.assign_sub(rate * tape.gradient(loss, kernel))
        return loss

    dataset = tf.data.Dataset.from_tensor_slices(inputs).batch(GLOBAL_BATCH_SIZE)
    total_loss, num_batches = 0.0, 0
    for x in strategy.experimental_distribute_dataset(dataset):
        total_loss += strategy.reduce("SUM", strategy.run(train_step, (x,)), axis=None)
        num_batches += 1
    return kernel.numpy().item(), (total_loss / num_batches).numpy().item()


for devices in (["CPU:0"], ["CPU:0", "CPU:1"]):
    strategy = tf.distribute.MirroredStrategy(devices)
    label = f"TensorFlow {tf.__version__}, {len(devices)} replicas, last batch of"
    for last, expected in (([2.0, 4.0], 0.3515625), ([1.0, 2.0, 4.0], 0.52734375), ([4.0], 0.0)):
        kernel, _ = train(strategy, [1.0] * 4 + last, 0.03125)
        print(label, f"{len(last)}: kernel, expected {expected}, observed {kernel}")
    _, loss = train(strategy, [1.0] * 4 + [4.0] * 2, 0.0)
    print(label, f"2: loss of the pass, expected 6.0, observed {loss}")
