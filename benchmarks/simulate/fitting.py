"""Finds what a machine adds to the plain model from the throughputs that were measured on it.

A handful of throughputs cannot determine all traits, so each has a prior: what is usual, and how far it may be from
that. The fit weighs both (maximum a posteriori) and is a least-squares problem:

    (log predicted - log measured) / 2 %      for each measurement on more than one replica
    (trait - usual) / deviation               for each trait

The priors are those of docs/simulate.md.
"""

import dataclasses
import math

import numpy as np
from scipy.optimize import least_squares

from benchmarks.simulate.step_model import Traits

# Throughputs of equal runs differ by about so much.
MEASUREMENT_NOISE = 0.02

# Usual value and deviation. The overhead is a share of a step on one replica; the bandwidths' are logarithms.
OVERHEAD = (0.02, 0.02)
SPREAD = (0.03, 0.01)
INSIDE = (math.log(0.7), 0.4)
BETWEEN = (math.log(0.6), 0.5)
# An update that is a term of its own: the logarithm of its seconds for each byte of the gradients, which tells how long
# memory takes to read and write the weights and the optimizer's state.
APPLY = (math.log(1 / 25e9), 0.7)

# The fit is repeated from several points, as it may have more than one minimum.
_STARTS = ((0.02, 0.03, -0.36, -0.5), (0.005, 0.015, -0.1, -0.1), (0.03, 0.03, -1.0, -1.2))


@dataclasses.dataclass(frozen=True)
class Fit:
    """The traits of a machine, and the update's seconds (0 if it is part of compute)."""

    traits: Traits
    apply: float


def fit_traits(series, measured) -> Fit:
    """Fits the traits to `measured`, measurements of `series` (published_series.Series)."""
    measured = [point for point in measured if point.replicas > 1]

    def residuals(values):
        fit = _as_fit(series, values)
        misses = [
            math.log(series.throughput(point.replicas, fit, point.accumulation) / point.throughput) / MEASUREMENT_NOISE
            for point in measured
        ]
        priors = (OVERHEAD, SPREAD, INSIDE, BETWEEN, APPLY)[: len(values)]
        return np.array(misses + [(value - usual) / width for value, (usual, width) in zip(values, priors)])

    solutions = [_solve(residuals, start + (APPLY[0],) * series.fits_apply) for start in _STARTS]
    return _as_fit(series, min(solutions, key=lambda solution: solution.cost).x)


def _solve(residuals, start):
    low = [0.0, 0.0] + [-np.inf] * (len(start) - 2)
    return least_squares(residuals, start, bounds=(low, np.inf), x_scale=[0.01, 0.01] + [0.3] * (len(start) - 2))


def _as_fit(series, values) -> Fit:
    seconds = series.micro_batch_seconds
    apply = math.exp(values[4]) * series.gradient_bytes if len(values) > 4 else 0.0
    return Fit(
        Traits(
            overhead=values[0] * seconds,
            spread=values[1],
            inside=math.exp(values[2]),
            between=math.exp(values[3]),
        ),
        apply,
    )
