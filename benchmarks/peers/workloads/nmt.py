"""The parts of the workloads `nmt` and `nmt_small` that the peers' scripts share.

A GRU encodes; at each step Bahdanau's attention sees its outputs, and the decoder's GRU begins from zeros, as in
TensorFlow's example (github.com/tensorflow/examples, community/en/nmt.ipynb and models/nmt_with_attention). The sum of
the words' losses, without padding, over the sentences; Adam with rate 0.001; float32; shuffled.

The pairs of `nmt` are drawn at random in the shapes of ours: 13 and 11 words with padding, 9.5 and 9 on average without
(ours: 9.5 and 8.9). Speed does not depend on which words they are, since padding is computed too. They follow Zipf's
law, so that there is something to learn. Those of `nmt_small` are ours, by formula.
"""

import types

import numpy

from benchmarks.peers.workloads import formula
from benchmarks.peers.workloads.drawn_words import draw_words

BEGIN, END, FIRST_WORD = 1, 2, 3
LEARNING_RATE = 1e-3
EPSILON = 1e-7
PAIRS = 3217


def _sentences(words, lengths):
    """Words [n, longest] with BEGIN, END and padding."""
    words[:, 0] = BEGIN
    words[numpy.arange(len(words)), lengths - 1] = END
    return words * (numpy.arange(words.shape[1]) < lengths[:, None])


def make_pairs(form, seed, count=PAIRS):
    draw = numpy.random.default_rng(seed)

    def sentences(shortest, longest, vocabulary):
        words = draw_words(draw, FIRST_WORD, vocabulary, (count, longest))
        return _sentences(words, draw.integers(shortest, longest + 1, count))

    return sentences(6, form.source_length, form.source), sentences(7, form.target_length, form.target)


def formula_pairs(form, _seed):
    def sentences(variable, size, longest, vocabulary):
        lengths = formula.whole_numbers(variable, (size,), longest - 3, 4)
        words = formula.whole_numbers(variable + 10, (size, longest), vocabulary - FIRST_WORD, FIRST_WORD)
        return _sentences(words, lengths)

    def batch(step, size):
        return (
            sentences(1000 + step, size, form.source_length, form.source),
            sentences(1100 + step, size, form.target_length, form.target),
        )

    return formula.examples(batch, (8, 8, 8, 8, 5))


REAL = types.SimpleNamespace(
    NAME="nmt",
    NEEDS_DATA=False,
    ITEM="pair",
    BATCH_SIZE_PER_REPLICA=64,
    source=50,
    target=43,
    embedding=64,
    units=128,
    source_length=13,
    target_length=11,
    examples=make_pairs,
)
SMALL = types.SimpleNamespace(
    NAME="nmt_small",
    NEEDS_DATA=False,
    ITEM="pair",
    BATCH_SIZE_PER_REPLICA=8,
    source=60,
    target=50,
    embedding=32,
    units=64,
    source_length=7,
    target_length=6,
    examples=formula_pairs,
)
