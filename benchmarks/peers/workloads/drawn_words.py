"""Words drawn at random by Zipf's law, so that there is something to learn: the k-th most frequent has weight 1 / k.

  draw_words(numpy.random.default_rng(1), 5, 154, (10000, 32))    # int64, 5 to 153
"""

import numpy


def draw_words(draw, first, vocabulary, shape):
    """Numbers of words from `first`, the most frequent one, to `vocabulary` - 1."""
    shares = 1 / numpy.arange(1, vocabulary - first + 1)
    return first + draw.choice(len(shares), shape, p=shares / shares.sum())
