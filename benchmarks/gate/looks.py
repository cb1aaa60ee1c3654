"""Student's t interval, and how much of the error levels each look at a growing sample may spend."""
import dataclasses
import functools
import math

import numpy as np
from scipy import optimize, special, stats

from benchmarks.gate.recording import GateError

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
# Standard deviations beyond which a normal density counts as nothing.
_FAR = 9.0


@dataclasses.dataclass(frozen=True)
class Interval:
    """An estimate and its one-sided bounds, in the unit of the values."""
    estimate: float
    lower: float
    upper: float


def student_interval(values, lower_level, upper_level):
    """The mean with bounds that a true mean passes with the given probabilities (one-sided, each below 0.5).

    Equal values give an interval of no width. Errors: GateError for fewer than two values, which have no spread.
    Source: Student, The Probable Error of a Mean, Biometrika 6 (1908).
    """
    count = len(values)
    if count < 2:
        raise GateError(f'[interval] {count} values; wanted at least 2')
    mean = float(np.mean(values))
    error = float(np.std(values, ddof=1)) / math.sqrt(count)
    below, above = (-special.stdtrit(count - 1, level) for level in (lower_level, upper_level))
    return Interval(mean, mean - below * error, mean + above * error)


@functools.lru_cache(maxsize=None)
def pocock_levels(looks, total, planned=None):
    """One-sided level of each look, so that all looks together err with probability `total`.

    `looks`: sample sizes, rising (a tuple). By the share t of the last look total * ln(1 + (e - 1) t) is spent, the
    function by which Lan and DeMets (Discrete sequential boundaries for clinical trials, Biometrika 70, 1983)
    approximate Pocock's constant boundary. The density of the sums that passed no boundary is integrated from look to
    look, as Armitage, McPherson and Rowe (JRSS A 132, 1969) do.

    `planned`: what the last look was to be, where there is no time for it (theirs too): the looks before keep their
    levels, and the last one spends all that is left.
    """
    levels, before, spent_before = [], 0.0, 0.0
    points, mass = np.zeros(1), np.ones(1)
    for size in looks:
        now = size / (planned or looks[-1])
        spent = total * math.log1p((math.e - 1) * (now if size < looks[-1] else 1))
        spread = math.sqrt(now - before)
        bound = _bound(points, mass, spread, spent - spent_before)
        levels.append(float(stats.norm.sf(bound / math.sqrt(now))))
        half = (bound + _FAR * math.sqrt(now)) / 2
        grid = bound - half + half * _NODES
        density = (stats.norm.pdf((grid[:, None] - points) / spread) / spread) @ mass
        points, mass = grid, density * _WEIGHTS * half
        before, spent_before = now, spent
    return tuple(levels)


def _bound(points, mass, spread, level):
    """Where sums that go on from `points` with normal steps end above with probability `level`."""
    return optimize.brentq(
        lambda bound: float(mass @ stats.norm.sf((bound - points) / spread)) - level, -_FAR, _FAR, xtol=1e-12)
