"""The model, the optimizer, the loss and the images of fashion_mnist_cnn in TensorFlow, as the custom-training document
has them (tensorflow.org/tutorials/distribute/custom_training)."""

import tensorflow as tf

from benchmarks.peers.workloads import fashion_mnist_cnn as workload


def make_model(_arguments=None):
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Input((28, 28, 1)),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(64, activation="relu"),
            layers.Dense(10),
        ]
    )


def make_optimizer(_arguments):
    return tf.keras.optimizers.Adam(workload.LEARNING_RATE, epsilon=workload.EPSILON)


def make_loss(model, global_batch_size):
    """The replica's share of the global batch's mean loss as a function of images and labels, and of the penalties on
    weights if there are some."""
    loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=None)

    def loss_of(images, labels):
        per_example = loss_object(labels, model(images, training=True))
        loss = tf.nn.compute_average_loss(per_example, global_batch_size=global_batch_size)
        if model.losses:
            loss += tf.nn.scale_regularization_loss(tf.add_n(model.losses))
        return loss

    return loss_of


def load(arguments, part):
    """NHWC images and labels, as NumPy arrays; part is "train" or "test"."""
    return workload.load(arguments.data, {"train": "train", "test": "t10k"}[part])
