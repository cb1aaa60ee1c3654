"""The parts of the workloads `densenet_small` and `ncf_small` that the peers' scripts share: the models of the real
ones, batches of 8 images or 40 ratings, and the examples of ours, by formula.
"""

import types

import numpy

from benchmarks.peers.workloads import formula


def images():
    """Images [37, 28, 28, 1] and labels [37]."""

    def batch(step, size):
        pixels = formula.fractions(1000 + step, (size, 28, 28, 1)).astype(numpy.float32)
        return pixels, formula.whole_numbers(1100 + step, (size,), 10)

    return formula.examples(batch, (8, 8, 8, 8, 5))


def ratings():
    """Users, items, labels and weights [183]; a fifth of the weights is 0."""

    def batch(step, size):
        return (
            formula.whole_numbers(1000 + step, (size,), NCF.users),
            formula.whole_numbers(1100 + step, (size,), NCF.items),
            formula.whole_numbers(1200 + step, (size,), 2).astype(numpy.float32),
            (formula.fractions(1300 + step, (size,)) > 0.2).astype(numpy.float32),
        )

    return formula.examples(batch, (40, 40, 40, 40, 23))


DENSENET = types.SimpleNamespace(NAME="densenet_small", NEEDS_DATA=False, BATCH_SIZE_PER_REPLICA=8)
NCF = types.SimpleNamespace(
    NAME="ncf_small",
    NEEDS_DATA=False,
    ITEM="rating",
    BATCH_SIZE_PER_REPLICA=40,
    users=50,
    items=80,
    learning_rate=0.001,
    epsilon=1e-8,
)
