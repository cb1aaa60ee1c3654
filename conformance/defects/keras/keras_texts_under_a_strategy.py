"""Keras 3 under MirroredStrategy: fit and evaluate of a model that reads texts end in an error.

The guide "Working with preprocessing layers" (keras.io/guides/preprocessing_layers) has TextVectorization as
a part of the model, which then takes strings, and "Distributed training with TensorFlow" asks for
nothing else than the scope. To build the model, fit and evaluate average the first step's inputs over the
replicas (Trainer._maybe_symbolic_build), which texts cannot be: AddN. A model that is built already
fails too; predict does not. tensorflow/tensorflow#80951, closed without a change; keras-team/keras#21172.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
texts = tf.constant([["one"], ["two"], ["one"], ["two"]])
labels = tf.constant([[0.0], [1.0], [0.0], [1.0]])
dataset = tf.data.Dataset.from_tensor_slices((texts, labels)).batch(4)


def observed(step):
    try:
        step(dataset, verbose=0)
    except tf.errors.InvalidArgumentError as error:
        return "InvalidArgumentError: " + str(error)[:52]
    return "none"


for replicas in (1, 2):
    with tf.distribute.MirroredStrategy([f"CPU:{at}" for at in range(replicas)]).scope():
        words = keras.layers.TextVectorization(vocabulary=["one", "two"], output_mode="multi_hot")
        model = keras.Sequential([keras.Input((1,), dtype="string"), words, keras.layers.Dense(1)])
        model.compile("sgd", "mse")
    for step in (model.fit, model.evaluate):
        label = f"Keras {keras.__version__}, {step.__name__} on {replicas} replicas:"
        print(label, "expected no error, observed", observed(step))
