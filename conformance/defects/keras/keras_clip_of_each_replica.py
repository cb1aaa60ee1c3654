"""Keras 3 under MirroredStrategy: each replica clips its own part of the gradient.

The docstrings of the optimizers say of global_clipnorm: "If set, the gradient of all
weights is clipped so that their global norm is no higher than this value." Gradients of the
halves are 4 and -2 (of the whole batch 1): nothing is to be clipped at 2, but each part is, before
the sum (Keras 2: after it).
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
x = np.ones((2, 1), "float32")
y = np.array([[-3], [2]], "float32")  # 2 * (1 - y): 8 and -2; halved for two replicas
for option in ("global_clipnorm", "clipnorm", "clipvalue"):
    for devices in (["CPU:0"], ["CPU:0", "CPU:1"]):
        with tf.distribute.MirroredStrategy(devices).scope():
            dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
            model = keras.Sequential([keras.Input((1,)), dense])
            model.compile(keras.optimizers.SGD(1.0, **{option: 3.5}), "mse")
        model.fit(x, y, batch_size=2, shuffle=False, verbose=0)
        k = np.asarray(dense.kernel).item()
        print(f"Keras {keras.__version__}, {option}, {len(devices)} replicas: expected kernel -2.0, observed {k}")
