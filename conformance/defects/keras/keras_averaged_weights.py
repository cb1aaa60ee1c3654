"""Keras 3 under MirroredStrategy: exponential averages of weights (use_ema)."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
x, y = np.ones((4, 1), "float32"), np.zeros((4, 1), "float32")
for options in ({}, {"ema_overwrite_frequency": 1}):
    for devices in (["CPU:0"], ["CPU:0", "CPU:1"]):
        with tf.distribute.MirroredStrategy(devices).scope():
            dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
            model = keras.Sequential([keras.Input((1,)), dense])
            model.compile(keras.optimizers.SGD(0.25, use_ema=True, ema_momentum=0.5, **options), "mse")
        try:
            model.fit(x, y, batch_size=2, shuffle=False, verbose=0)
            strategy = model.distribute_strategy
            observed = [c.numpy().item() for c in strategy.experimental_local_results(dense.kernel.value)]
        except Exception as error:
            observed = f"{type(error).__name__}: {str(error)[:150]}"
        print(f"Keras {keras.__version__}, {options}, {len(devices)} replicas: observed {observed}")
