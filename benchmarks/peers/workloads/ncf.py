"""The parts of the workload `ncf` that the peers' scripts share.

NCF with 8 factors and layers 64-32-16-8 for 6,040 users and 3,706 items; binary cross-entropy; Adam; 4,096 ratings a
replica; float32; shuffled. Users and items are drawn at random: speed does not depend on which.
"""

import numpy

NAME = "ncf"
NEEDS_DATA = False
ITEM = "rating"
BATCH_SIZE_PER_REPLICA = 4096
USERS = 6040
ITEMS = 3706
FACTORS = 8
LAYERS = (64, 32, 16, 8)
RATINGS = 574000  # of an epoch
LEARNING_RATE = 0.00382059
BETAS = (0.783529, 0.909003)
EPSILON = 1.45439e-7


def make_ratings(count, seed=1):
    """Users and items as int64 [count], and labels as float32 [count], a fifth of them 1.

    A user chooses the items whose number is in his own fifth of them, so that there is something to learn.
    """
    generator = numpy.random.default_rng(seed)
    users = generator.integers(0, USERS, count)
    items = generator.integers(0, ITEMS, count)
    return users, items, ((users + items) % 5 == 0).astype(numpy.float32)
