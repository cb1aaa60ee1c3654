"""Keras 3 on TensorFlow: Adam squares each occurrence of a token by itself.

An embedding's gradient has a row for each occurrence; rows of one token are to be summed
before they are squared. They are not (Keras 2 summed them): with a token twice in a batch the first
step is the root of two too long, and how long depends on how a batch is divided.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
tokens = np.array([[0], [0]])
for devices in (["CPU:0"], ["CPU:0", "CPU:1"]):
    with tf.distribute.MirroredStrategy(devices).scope():
        embedding = keras.layers.Embedding(1, 1, embeddings_initializer="ones")
        model = keras.Sequential([keras.Input((1,), dtype="int64"), embedding, keras.layers.Flatten()])
        model.compile(keras.optimizers.Adam(0.5), "mse")
    model.fit(tokens, np.zeros((2, 1), "float32"), batch_size=2, shuffle=False, verbose=0)
    table = np.asarray(embedding.embeddings).item()
    print(f"Keras {keras.__version__}, {len(devices)} replicas: expected 0.5, observed {table:.4f}")
