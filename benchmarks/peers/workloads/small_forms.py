"""The parts of the small workloads that the peers' scripts share: models of a few weights, batches of 8 or 40 examples.

Their data are drawn at random in the shapes of ours; speed does not depend on the values.
"""

import types

import numpy

EXAMPLES = 37  # as ours: five batches, the last one short
BERT = types.SimpleNamespace(vocabulary=97, hidden=64, heads=4, inner=256, layers=2, length=16, predictions=4)
NCF = types.SimpleNamespace(users=50, items=80, examples=183)
NMT = types.SimpleNamespace(source=60, target=50, embedding=32, units=64, source_length=7, target_length=6)


def bert_examples(seed):
    """ids, mask, types [n, 16], positions, labels, weights [n, 4], follows [n]."""
    draw = numpy.random.default_rng(seed)
    lengths = draw.integers(8, BERT.length + 1, EXAMPLES)
    mask = (numpy.arange(BERT.length) < lengths[:, None]).astype(numpy.int64)
    counts = draw.integers(1, BERT.predictions + 1, EXAMPLES)
    real = numpy.arange(BERT.predictions) < counts[:, None]
    chosen = (EXAMPLES, BERT.predictions)
    return (
        draw.integers(5, BERT.vocabulary, (EXAMPLES, BERT.length)) * mask,
        mask,
        (numpy.arange(BERT.length) >= lengths[:, None] // 2) * mask,
        draw.integers(0, 8, chosen) * real,
        draw.integers(5, BERT.vocabulary, chosen) * real,
        real.astype(numpy.float32),
        draw.integers(0, 2, EXAMPLES),
    )


def images(seed):
    """Images [n, 28, 28, 1] and labels [n]."""
    draw = numpy.random.default_rng(seed)
    return draw.random((EXAMPLES, 28, 28, 1), numpy.float32), draw.integers(0, 10, EXAMPLES)


def ratings(seed):
    """Users, items and labels [183] of 50 users and 80 items."""
    draw = numpy.random.default_rng(seed)
    users, items = draw.integers(0, NCF.users, NCF.examples), draw.integers(0, NCF.items, NCF.examples)
    return users, items, ((users + items) % 5 == 0).astype(numpy.float32)


def nmt_examples(seed):
    """source [n, 7], target [n, 6]: 1 begins a sentence, 2 ends it, 0 fills."""
    draw = numpy.random.default_rng(seed)

    def sentences(most, vocabulary):
        lengths = draw.integers(4, most + 1, EXAMPLES)
        words = draw.integers(3, vocabulary, (EXAMPLES, most))
        words[:, 0] = 1
        words[numpy.arange(EXAMPLES), lengths - 1] = 2
        return words * (numpy.arange(most) < lengths[:, None])

    return sentences(NMT.source_length, NMT.source), sentences(NMT.target_length, NMT.target)
