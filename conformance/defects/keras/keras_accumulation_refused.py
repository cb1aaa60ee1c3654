"""Keras 3 under MirroredStrategy: fit of an optimizer that accumulates gradients is refused.

Already on one replica: the step is taken in a branch of a tf.cond, and it asks for the sum
over the replicas there, which TensorFlow does not allow.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
x, y = np.ones((4, 1), "float32"), np.zeros((4, 1), "float32")
for devices in (["CPU:0"], ["CPU:0", "CPU:1"]):
    with tf.distribute.MirroredStrategy(devices).scope():
        dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
        model = keras.Sequential([keras.Input((1,)), dense])
        model.compile(keras.optimizers.SGD(0.25, gradient_accumulation_steps=2), "mse")
    try:
        model.fit(x, y, batch_size=2, shuffle=False, verbose=0)
        observed = f"kernel {np.asarray(dense.kernel).item()}"
    except RuntimeError as error:
        observed = "RuntimeError: " + str(error).strip().splitlines()[2][:90]
    print(f"Keras {keras.__version__}, {len(devices)} replicas: expected kernel 0.5, observed {observed}")
