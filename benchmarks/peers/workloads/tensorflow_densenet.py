"""The model and the optimizer of densenet in Keras, in both sizes of the data.

Layers as in TensorFlow's example (github.com/tensorflow/examples, models/densenet). With several replicas the moments
are those of all of them, as ours are: BatchNormalization(synchronized=True); --own-moments leaves each its own, as the
example does. The penalty is divided by the number of replicas by scale_regularization_loss, as the custom-training
document has it.
"""

import types

import tensorflow as tf

from benchmarks.peers.workloads import densenet as workload
from benchmarks.peers.workloads import small_forms, tensorflow_fashion_mnist_cnn

layers = tf.keras.layers


def make_model(arguments):
    penalty = tf.keras.regularizers.L2(workload.PENALTY)
    synchronized = arguments.replicas > 1 and not arguments.own_moments

    def convolve(x, filters, size):
        return layers.Conv2D(filters, size, padding="same", use_bias=False, kernel_regularizer=penalty)(x)

    def normalize(x):
        return layers.ReLU()(layers.BatchNormalization(epsilon=workload.EPSILON, synchronized=synchronized)(x))

    def grow(x):
        inner = convolve(normalize(x), workload.BOTTLENECK * workload.GROWTH, 1)
        return layers.Concatenate()([x, convolve(normalize(inner), workload.GROWTH, 3)])

    images = layers.Input((28, 28, 1))
    x = convolve(images, 2 * workload.GROWTH, 3)
    for block, depth in enumerate(workload.BLOCKS):
        for _ in range(depth):
            x = grow(x)
        if block + 1 < len(workload.BLOCKS):
            x = layers.AveragePooling2D(2)(convolve(normalize(x), x.shape[-1] // 2, 1))
    x = layers.GlobalAveragePooling2D()(normalize(x))
    return tf.keras.Model(images, layers.Dense(10)(x))


def make_optimizer(_arguments):
    return tf.keras.optimizers.SGD(workload.LEARNING_RATE, momentum=workload.MOMENTUM, nesterov=True)


def _workload(form, load):
    return types.SimpleNamespace(
        workload=form,
        make_model=make_model,
        make_optimizer=make_optimizer,
        make_loss=tensorflow_fashion_mnist_cnn.make_loss,
        load=load,
    )


real = _workload(workload, tensorflow_fashion_mnist_cnn.load)
small = _workload(small_forms.DENSENET, lambda arguments, part: small_forms.images())
