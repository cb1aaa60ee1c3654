"""NMT in Keras in both sizes: model, optimizer, loss and examples.

As in TensorFlow's example (github.com/tensorflow/examples, community/en/nmt.ipynb): a GRU layer encodes; for each word
Bahdanau's attention, of three Dense layers, sees its outputs, and a GRU layer of one step decodes.
"""

import types

import tensorflow as tf

from benchmarks.peers.workloads import nmt as workloads

layers = tf.keras.layers


class Nmt(tf.keras.Model):
    """Logits [n, words, target] of the words after the first."""

    def __init__(self, form):
        super().__init__()
        self.source_table = layers.Embedding(form.source, form.embedding)
        # Unrolled, as Keras' documentation advises for short sequences.
        self.encoder = layers.GRU(form.units, return_sequences=True, return_state=True, unroll=True)
        self.target_table = layers.Embedding(form.target, form.embedding)
        self.decoder = layers.GRU(form.units, unroll=True)
        self.predict_word = layers.Dense(form.target)
        self.w1, self.w2, self.v = layers.Dense(form.units), layers.Dense(form.units), layers.Dense(1)

    def call(self, inputs):
        source, target = inputs
        outputs, state = self.encoder(self.source_table(source))
        keys, logits = self.w1(outputs), []
        for t in range(target.shape[1] - 1):
            scores = self.v(tf.tanh(keys + self.w2(state)[:, None]))
            context = tf.reduce_sum(tf.nn.softmax(scores, axis=1) * outputs, axis=1)
            word = self.target_table(target[:, t])
            state = self.decoder(tf.concat([context, word], axis=-1)[:, None])
            logits.append(self.predict_word(state))
        return tf.stack(logits, axis=1)


def make_model(form):
    model = Nmt(form)
    model((tf.zeros((1, form.source_length), tf.int64), tf.zeros((1, form.target_length), tf.int64)))
    return model


def make_loss(model, global_batch_size):
    """The replica's share of the sum of the words' losses, without padding, over the global batch's sentences."""
    loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=None)

    def loss_of(source, target):
        words = target[:, 1:]
        losses = loss_object(words, model((source, target), training=True))
        per_example = tf.reduce_sum(losses * tf.cast(words != 0, losses.dtype), axis=1)
        return tf.nn.compute_average_loss(per_example, global_batch_size=global_batch_size)

    return loss_of


def _workload(form):
    return types.SimpleNamespace(
        workload=form,
        make_model=lambda arguments: make_model(form),
        make_optimizer=lambda arguments: tf.keras.optimizers.Adam(workloads.LEARNING_RATE, epsilon=workloads.EPSILON),
        make_loss=make_loss,
        load=lambda arguments, part: form.examples(form, arguments.seed + (part == "test")),
    )


real, small = _workload(workloads.REAL), _workload(workloads.SMALL)
