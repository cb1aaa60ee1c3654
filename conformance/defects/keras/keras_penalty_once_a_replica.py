"""Keras 3.5 to 3.7 under MirroredStrategy: fit counts a penalty once a replica.

The gradients of the replicas are summed, and the loss of each holds the whole penalty,
which is not divided by their number. keras-team/keras#19891 and #20609; fixed in 3.8.0.
(Up to 3.4.1 gradients were not summed.)
"""

import keras
import numpy as np
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
x = np.zeros((2, 1), "float32")
for devices in (["CPU:0"], ["CPU:0", "CPU:1"]):
    with tf.distribute.MirroredStrategy(devices).scope():
        penalty = keras.regularizers.L2(0.5)
        dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones", kernel_regularizer=penalty)
        model = keras.Sequential([keras.Input((1,)), dense])
        model.compile(keras.optimizers.SGD(0.25), "mse")
    model.fit(x, x, batch_size=2, shuffle=False, verbose=0)
    k = np.asarray(dense.kernel).item()
    print(f"Keras {keras.__version__}, {len(devices)} replicas: ", end="")
    print(f"expected k 0.75, observed {k:.4f}")
