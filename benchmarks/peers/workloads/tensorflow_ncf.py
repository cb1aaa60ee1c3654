"""NCF in Keras in both sizes: model, optimizer, loss and ratings.

As TensorFlow's models have it (github.com/tensorflow/models, official/recommendation/ranking and its predecessor
ncf): one table a side, whose first columns are factors; binary cross-entropy with weights.
"""

import types

import tensorflow as tf

from benchmarks.peers.workloads import ncf as workload
from benchmarks.peers.workloads import small_forms

layers = tf.keras.layers


def make_model(user_count, item_count):
    width = workload.FACTORS + workload.LAYERS[0] // 2
    users, items = layers.Input((), dtype="int64"), layers.Input((), dtype="int64")
    user = layers.Embedding(user_count, width, embeddings_initializer="glorot_uniform")(users)
    item = layers.Embedding(item_count, width, embeddings_initializer="glorot_uniform")(items)
    factors = workload.FACTORS
    x = layers.Concatenate()([user[:, factors:], item[:, factors:]])
    for size in workload.LAYERS[1:]:
        x = layers.Dense(size, activation="relu")(x)
    product = layers.Multiply()([user[:, :factors], item[:, :factors]])
    rating = layers.Dense(1, kernel_initializer="lecun_uniform")(layers.Concatenate()([product, x]))
    return tf.keras.Model([users, items], rating)


def make_loss(model, global_batch_size):
    """The replica's share of the global batch's mean loss as a function of users, items, labels and perhaps weights."""
    loss_object = tf.keras.losses.BinaryCrossentropy(from_logits=True, reduction=None)

    def loss_of(users, items, labels, weights=None):
        per_example = loss_object(labels[:, None], model([users, items], training=True))
        return tf.nn.compute_average_loss(per_example, weights, global_batch_size)

    return loss_of


real = types.SimpleNamespace(
    workload=workload,
    make_model=lambda arguments: make_model(workload.USERS, workload.ITEMS),
    make_optimizer=lambda arguments: tf.keras.optimizers.Adam(
        workload.LEARNING_RATE, *workload.BETAS, workload.EPSILON
    ),
    make_loss=make_loss,
    load=lambda arguments, part: workload.make_ratings(workload.RATINGS, arguments.seed + (part == "test")),
)
small = types.SimpleNamespace(
    workload=small_forms.NCF,
    make_model=lambda arguments: make_model(small_forms.NCF.users, small_forms.NCF.items),
    make_optimizer=lambda arguments: tf.keras.optimizers.Adam(
        small_forms.NCF.learning_rate, epsilon=small_forms.NCF.epsilon
    ),
    make_loss=make_loss,
    load=lambda arguments, part: small_forms.ratings(),
)
