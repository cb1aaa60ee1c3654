"""Keras 3 under MirroredStrategy: a replica without examples makes the moving moments NaN.

The mean over no example is NaN, and is moved into the moving mean (Keras 2 left it alone).
The gradient of gamma is NaN too.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
x = np.array([[1], [3], [5]], "float32")
for devices in (["CPU:0"], ["CPU:0", "CPU:1"]):
    with tf.distribute.MirroredStrategy(devices).scope():
        norm = keras.layers.BatchNormalization(momentum=0.5)
        model = keras.Sequential([keras.Input((1,)), norm])
        model.compile(keras.optimizers.SGD(0.25), "mse")
    model.fit(x, x, batch_size=2, shuffle=False, verbose=0)
    strategy = model.distribute_strategy
    copies = {v.name: [c.numpy().tolist() for c in strategy.experimental_local_results(v.value)] for v in norm.weights}
    print(f"Keras {keras.__version__}, {len(devices)} replicas: expected numbers, observed {copies}")
