"""The numbers of the small workloads by the formula of ours, which benchmarks/workloads/small/formula.h states.

  fractions(1000, (8, 28, 28, 1))          # float64 in [0, 1)
  whole_numbers(1100, (8,), 10)            # int64, 0 to 9
"""

import numpy


def fractions(variable, shape):
    """u of each element of the variable of this number."""
    x = numpy.arange(numpy.prod(shape), dtype=numpy.uint32) + numpy.uint32(1000003 * variable % 2**32)
    x *= numpy.uint32(2654435761)
    x ^= x >> numpy.uint32(16)
    x *= numpy.uint32(2246822519)
    x ^= x >> numpy.uint32(13)
    return (x / 2.0**32).reshape(shape)


def whole_numbers(variable, shape, count, first=0):
    """first + floor(u * count)."""
    return first + numpy.floor(fractions(variable, shape) * count).astype(numpy.int64)


def examples(batch, sizes):
    """The arrays batch(step, size) of all steps, one after another."""
    steps = [batch(step, size) for step, size in enumerate(sizes)]
    return tuple(numpy.concatenate(arrays) for arrays in zip(*steps, strict=True))
