"""TensorFlow with Keras 3: a training step inside tf.function fails where its optimizer has yet to make its state.

TensorFlow's tutorial on custom training calls optimizer.apply_gradients inside strategy.run, inside
tf.function, and builds the optimizer nowhere before. Expected of w = 1, the gradients (1, 2) and
(3, 4) and momentum 0.9: -0.27 on any number of replicas. Observed on two: InvalidArgumentError
"You must feed a value for placeholder tensor". It works on one replica, eagerly, after
optimizer.build, without state (SGD alone), and with Keras 2.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)


def train(replicas, build, trace):
    strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)])
    with strategy.scope():
        w = tf.Variable([1.0])
        optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
        if build:
            optimizer.build([w])

    def replica_step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * x)
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])

    def step(x):
        strategy.run(replica_step, args=(x,))

    step = tf.function(step) if trace else step
    rows = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).batch(2)
    try:
        for x in strategy.experimental_distribute_dataset(rows):
            step(x)
        return round(w.numpy().item(), 6)
    except tf.errors.InvalidArgumentError as error:
        return "InvalidArgumentError: " + str(error).partition("INVALID_ARGUMENT: ")[2][:70]


for replicas, build, trace in ((1, False, True), (2, False, False), (2, True, True), (2, False, True)):
    label = f"Keras {tf.keras.__version__}, {replicas} replicas{', built' * build}{', traced' * trace}:"
    print(label, "expected -0.27, observed", train(replicas, build, trace))
