"""Keras 3 on TensorFlow: optimizers square each occurrence of a token by itself.

An embedding's gradient has a row for each occurrence in the batch. Rows of one token are the parts of one gradient, to
be summed before they are squared or their norm is taken. They are not (Keras 2 summed them), so a step depends on how
often a token occurs, and on how a batch is divided. The same table as a Dense layer on one-hot rows shows what is
expected.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)


def trained(strategy, make_optimizer, sparse):
    """The table of one token that occurs twice in the batch, after a step with each occurrence's target 0."""
    with strategy.scope():
        if sparse:
            table = keras.layers.Embedding(1, 1, embeddings_initializer="ones")
            layers = [keras.Input((1,), dtype="int64"), table, keras.layers.Flatten()]
        else:
            table = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
            layers = [keras.Input((1,)), table]
        model = keras.Sequential(layers)
        model.compile(make_optimizer(), "mse")
    x = np.zeros((2, 1), "int64") if sparse else np.ones((2, 1), "float32")
    model.fit(x, np.zeros((2, 1), "float32"), batch_size=2, shuffle=False, verbose=0)
    return round(np.asarray(table.weights[0]).item(), 5)


optimizers = keras.optimizers
OPTIMIZERS = (
    lambda: optimizers.SGD(0.5),
    lambda: optimizers.SGD(0.5, clipnorm=0.5),
    lambda: optimizers.SGD(0.5, clipvalue=0.5),
    lambda: optimizers.Adam(0.5),
    lambda: optimizers.AdamW(0.5),
    lambda: optimizers.Nadam(0.5),
    lambda: optimizers.Adagrad(0.5),
    lambda: optimizers.Adadelta(0.5),
    lambda: optimizers.RMSprop(0.5),
    lambda: optimizers.Ftrl(0.5),
)
for devices in (["CPU:0"], ["CPU:0", "CPU:1"]):
    strategy = tf.distribute.MirroredStrategy(devices)
    for make in OPTIMIZERS:
        clipped = {k: v for k, v in make().get_config().items() if k.startswith("clip") and v}
        expected, observed = (trained(strategy, make, sparse) for sparse in (False, True))
        verdict = "same" if expected == observed else "DIFFERS"
        print(
            f"Keras {keras.__version__}, {len(devices)} replicas, {type(make()).__name__} {clipped or ''}: expected {expected},"
            f" observed {observed} {verdict}",
            flush=True,
        )
