"""Keras 3 under MirroredStrategy: a gradient that is not finite is noticed on the first replica only.

A step whose gradient is not finite is to be skipped, and the scale halved. Where it is the
second replica whose part is not finite, the step is taken: weights are NaN for good.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
for place in (0, 1):
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
        model = keras.Sequential([keras.Input((1,)), dense])
        optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.25), initial_scale=4.0)
        model.compile(optimizer, "mse")
    x = np.ones((2, 1), "float32")
    x[place] = np.inf
    model.fit(x, np.zeros((2, 1), "float32"), batch_size=2, shuffle=False, verbose=0)
    k, scale = np.asarray(dense.kernel).item(), float(optimizer.dynamic_scale.numpy())
    print(
        f"Keras {keras.__version__}, not finite on replica {place}: expected kernel 1.0 and scale 2.0, observed {k} and {scale}"
    )
