"""Keras 3 and Keras 2: fit trains on a batch that does not split evenly as no one device.

Each replica averages over its own examples, and the gradients are averaged over the
replicas, whatever each of them had, one without examples too. The loss that fit tells
is that of one device all the same.
"""

import keras
import numpy as np
import tensorflow as tf
import tf_keras

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
x = np.array([[1], [2], [3], [4], [5]], "float32")
for kind in (keras, tf_keras):
    for devices in (["CPU:0"], ["CPU:0", "CPU:1"]):
        with tf.distribute.MirroredStrategy(devices).scope():
            dense = kind.layers.Dense(1, use_bias=False, kernel_initializer="ones")
            model = kind.Sequential([kind.Input((1,)), dense])
            model.compile(kind.optimizers.SGD(0.01), "mse")
        history = model.fit(x, 0 * x, batch_size=4, shuffle=False, verbose=0).history
        k = np.asarray(dense.kernel).item()
        print(f"{kind.__name__} {kind.__version__}, {len(devices)} replicas: ", end="")
        print(f"k {k:.4f}, expected 0.4250; loss {history['loss'][0]:.4f}")
