"""Keras 3: evaluate counts penalties of weights in its loss.

Keras's FAQ (keras.io/getting_started/faq, "Why is my training loss much higher than my testing
loss?") says of "Regularization mechanisms, such as Dropout and L1/L2 weight regularization" that
they "are turned off at testing time. They are reflected in the training time loss but not in the
test time loss."
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones", kernel_regularizer=keras.regularizers.L2(0.5))
model = keras.Sequential([keras.Input((1,)), dense])
model.compile("sgd", "mse")
x = np.ones((2, 1), "float32")
print(f"Keras {keras.__version__}: expected 0.0, observed {model.evaluate(x, x, verbose=0)}")
