"""Keras 3 under MirroredStrategy: what was accumulated is saved of the first replica only.

Run eagerly, where accumulation works. Saved in the middle of a window, the other replicas
go on with the first one's part in place of their own.
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


def make():
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
        model = keras.Sequential([keras.Input((1,)), dense])
        optimizer = keras.optimizers.SGD(0.25, gradient_accumulation_steps=2)
        model.compile(optimizer, "mse", run_eagerly=True)
        optimizer.build(model.trainable_variables)
    return model, dense


x, y = np.array([[1], [2]], "float32"), np.zeros((2, 1), "float32")
model, dense = make()
model.fit(x, y, batch_size=2, shuffle=False, verbose=0)
model.save_weights(path)
model.fit(x, y, batch_size=2, shuffle=False, verbose=0)
other, restored = make()
other.load_weights(path)
other.fit(x, y, batch_size=2, shuffle=False, verbose=0)
print(
    f"Keras {keras.__version__}: expected kernel {np.asarray(dense.kernel).item()}, as without a save, observed {np.asarray(restored.kernel).item()}"
)
