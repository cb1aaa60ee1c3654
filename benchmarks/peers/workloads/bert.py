"""The parts of the workloads `bert` and `bert_small` that the peers' scripts share.

BERT's pre-training in two layers, which normalize after each addition, with 4 heads; the words to predict have the
table of words itself. AdamW with weight decay 0.01 except on biases and normalizations, gradients clipped to a norm of
1, a rate that rises from 0 in a warm-up and falls to 0 in a line; float32; shuffled.

The sequences of `bert` are drawn at random in the shapes of ours: 32 tokens, 22 to 32 of them used (27 on average, as
in our stories), 15 % to predict. Speed does not depend on which words they are, since padding is computed too. Their
words follow Zipf's law, so that there is something to learn. Those of `bert_small` are ours, by formula.
"""

import types

import numpy

from benchmarks.peers.workloads import formula
from benchmarks.peers.workloads.drawn_words import draw_words

HEADS = 4
LAYERS = 2
NORM_EPSILON = 1e-12
DEVIATION = 0.02  # of the first weights of tables
EPSILON = 1e-6
WEIGHT_DECAY = 0.01
CLIP_NORM = 1.0
SPECIAL = 5  # words that no text has, padding first
SHARE = 0.15  # of the tokens, to predict
SEQUENCES = 10000


def rate(form, step):
    """The learning rate of a step, counted from 0."""
    if step < form.warmup:
        return form.rate * step / form.warmup
    return form.rate * (1 - min(step, form.steps) / form.steps)


def _arrays(form, ids, lengths, counts, positions, labels, follows):
    """ids, mask, types [n, length], positions, labels, weights [n, predictions], follows [n]."""
    mask = (numpy.arange(form.length) < lengths[:, None]).astype(numpy.int64)
    second = (numpy.arange(form.length) >= lengths[:, None] // 2).astype(numpy.int64)
    real = (numpy.arange(form.predictions) < counts[:, None]).astype(numpy.int64)
    return ids * mask, mask, second * mask, positions * real, labels * real, real.astype(numpy.float32), follows


def make_sequences(form, seed, count=SEQUENCES):
    draw = numpy.random.default_rng(seed)
    chosen = (count, form.predictions)

    def words(shape):
        return draw_words(draw, SPECIAL, form.vocabulary, shape)

    lengths = draw.integers(22, form.length + 1, count)
    counts = numpy.minimum(numpy.rint(SHARE * lengths), form.predictions)
    positions = numpy.sort(draw.permuted(numpy.tile(numpy.arange(1, 22), (count, 1)), axis=1)[:, : form.predictions])
    return _arrays(form, words((count, form.length)), lengths, counts, positions, words(chosen), draw.integers(0, 2, count))


def formula_sequences(form, _seed):
    def batch(step, size):
        def words(variable, columns):
            return formula.whole_numbers(variable + step, (size, columns), form.vocabulary - SPECIAL, SPECIAL)

        return _arrays(
            form,
            words(1100, form.length),
            formula.whole_numbers(1000 + step, (size,), form.length - 7, 8),
            formula.whole_numbers(1200 + step, (size,), form.predictions, 1),
            formula.whole_numbers(1300 + step, (size, form.predictions), 8),
            words(1400, form.predictions),
            formula.whole_numbers(1500 + step, (size,), 2),
        )

    return formula.examples(batch, (8, 8, 8, 8, 5))


REAL = types.SimpleNamespace(
    NAME="bert",
    NEEDS_DATA=False,
    ITEM="sequence",
    BATCH_SIZE_PER_REPLICA=32,
    vocabulary=154,
    hidden=128,
    inner=512,
    length=32,
    predictions=5,
    rate=0.001,
    warmup=100,
    steps=10000,
    examples=make_sequences,
)
SMALL = types.SimpleNamespace(
    NAME="bert_small",
    NEEDS_DATA=False,
    ITEM="sequence",
    BATCH_SIZE_PER_REPLICA=8,
    vocabulary=97,
    hidden=64,
    inner=256,
    length=16,
    predictions=4,
    rate=0.01,
    warmup=2,
    steps=10,
    examples=formula_sequences,
)
