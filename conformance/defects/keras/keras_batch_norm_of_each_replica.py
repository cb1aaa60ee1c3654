"""Keras 3 under MirroredStrategy: replicas keep different moving moments, and measure by them.

The docstring of BatchNormalization says of its argument synchronized: "If `False`, each replica
uses its own local batch statistics." The moving moments of Keras 2 were the mean of the replicas.
Those of Keras 3 stay apart: an example is measured differently by which replica it falls to, and
a file holds those of the first.
"""

import os
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
import tensorflow as tf

path = tempfile.mkdtemp() + "/model.weights.h5"

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
x = np.array([[0], [0], [8], [8]], "float32")
for devices in (["CPU:0"], ["CPU:0", "CPU:1"]):
    with tf.distribute.MirroredStrategy(devices).scope():
        norm = keras.layers.BatchNormalization(momentum=0.5)
        model = keras.Sequential([keras.Input((1,)), norm])
        model.compile(keras.optimizers.SGD(0.0), "mse")
    model.fit(x, x, batch_size=4, shuffle=False, verbose=0)
    same = np.full((2, 1), 4, "float32")  # the same example for both
    model.save_weights(path)
    strategy = model.distribute_strategy
    copies = [c.numpy().item() for c in strategy.experimental_local_results(norm.moving_mean.value)]
    print(
        f"Keras {keras.__version__}, {len(devices)} replicas: moving mean, expected 2.0, observed {copies};",
        "predictions of one example twice, expected equal, observed",
        model.predict(same, batch_size=2, verbose=0).ravel().tolist(),
    )
