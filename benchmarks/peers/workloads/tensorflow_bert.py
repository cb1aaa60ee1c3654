"""BERT in Keras in both sizes: model, optimizer, loss and examples.

The encoder's layers are MultiHeadAttention, Dense and LayerNormalization, and the rate is a LearningRateSchedule, as in
TensorFlow's tutorial (tensorflow.org/text/tutorials/transformer). The words to predict have the table of words by
ReversibleEmbedding, as keras.io documents it. As in TensorFlow's models (github.com/tensorflow/models,
official/nlp/bert) each replica divides by its own count of words, and Keras' global_clipnorm clips each replica's own
gradients, before the sum.
"""

import types

import tensorflow as tf

from benchmarks.peers.workloads import bert as workloads

layers = tf.keras.layers


def _first_weights():
    return tf.keras.initializers.TruncatedNormal(stddev=workloads.DEVIATION)


def _dense(size, activation=None):
    return layers.Dense(size, activation, kernel_initializer=_first_weights())


def _norm():
    return layers.LayerNormalization(epsilon=workloads.NORM_EPSILON)


def _gelu(x):
    return tf.keras.activations.gelu(x, approximate=True)


class EncoderLayer(layers.Layer):
    """Attention, then a dense network; each is added to its input and normalized."""

    def __init__(self, form):
        super().__init__()
        self.attention = layers.MultiHeadAttention(
            workloads.HEADS, form.hidden // workloads.HEADS, kernel_initializer=_first_weights()
        )
        self.after_attention = _norm()
        self.inner = _dense(form.inner, _gelu)
        self.outer = _dense(form.hidden)
        self.after_network = _norm()

    def call(self, x, mask):
        x = self.after_attention(x + self.attention(x, x, attention_mask=mask))
        return self.after_network(x + self.outer(self.inner(x)))


class Bert(tf.keras.Model):
    """Logits of the words to predict, and whether the second sentence follows."""

    def __init__(self, form):
        super().__init__()
        self.words = layers.ReversibleEmbedding(form.vocabulary, form.hidden, embeddings_initializer=_first_weights())
        self.positions = layers.Embedding(form.length, form.hidden, embeddings_initializer=_first_weights())
        self.types = layers.Embedding(2, form.hidden, embeddings_initializer=_first_weights())
        self.norm = _norm()
        self.encoder = [EncoderLayer(form) for _ in range(workloads.LAYERS)]
        self.pooler = _dense(form.hidden, "tanh")
        self.following = _dense(2)
        self.transform = _dense(form.hidden, _gelu)
        self.transform_norm = _norm()
        self.word_bias = self.add_weight(shape=(form.vocabulary,), initializer="zeros", name="bias")

    def call(self, inputs):
        ids, mask, kinds, positions = inputs
        x = self.norm(self.words(ids) + self.positions(tf.range(ids.shape[1])) + self.types(kinds))
        seen = tf.cast(mask, tf.bool)[:, None, :]
        for layer in self.encoder:
            x = layer(x, seen)
        chosen = self.transform_norm(self.transform(tf.gather(x, positions, batch_dims=1)))
        following = self.following(self.pooler(x[:, 0]))
        return self.words(chosen, reverse=True) + self.word_bias, following


class Rate(tf.keras.optimizers.schedules.LearningRateSchedule):
    """workloads.rate of a step that is a tensor."""

    def __init__(self, form):
        self.form = form

    def __call__(self, step):
        step, form = tf.cast(step, tf.float32), self.form
        rising = form.rate / form.warmup * step
        falling = form.rate * (1 - tf.minimum(step, form.steps) / form.steps)
        return tf.where(step < form.warmup, rising, falling)


def make_model(form):
    model = Bert(form)
    tokens = tf.zeros((1, form.length), tf.int64)
    model((tokens, tokens, tokens, tf.zeros((1, form.predictions), tf.int64)))
    return model


def make_optimizer(form):
    optimizer = tf.keras.optimizers.AdamW(
        Rate(form), workloads.WEIGHT_DECAY, epsilon=workloads.EPSILON, global_clipnorm=workloads.CLIP_NORM
    )
    optimizer.exclude_from_weight_decay(var_names=["bias", "gamma", "beta"])
    return optimizer


def make_loss(model, global_batch_size):
    """The replica's share of the mean losses of words and of sentences as a function of a batch's arrays."""
    loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=None)

    def loss_of(ids, mask, kinds, positions, labels, weights, follows):
        words, following = model((ids, mask, kinds, positions), training=True)
        share = tf.cast(tf.shape(ids)[0], tf.float32) / global_batch_size
        mean = tf.reduce_sum(loss_object(labels, words) * weights) / tf.reduce_sum(weights)
        sentences = tf.nn.compute_average_loss(loss_object(follows, following), global_batch_size=global_batch_size)
        return mean * share + sentences

    return loss_of


def _workload(form):
    return types.SimpleNamespace(
        workload=form,
        make_model=lambda arguments: make_model(form),
        make_optimizer=lambda arguments: make_optimizer(form),
        make_loss=make_loss,
        load=lambda arguments, part: form.examples(form, arguments.seed + (part == "test")),
    )


real, small = _workload(workloads.REAL), _workload(workloads.SMALL)
