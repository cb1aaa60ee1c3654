"""From the steps of a recording to one log ratio for each entry and metric, and from several to their interval.

A slice is a turn without the steps after the switch: its value is the log of candidate over baseline of the medians of
its steps, positive where the candidate takes longer. A median, since the least time of a step is not robust in
parallel code: it picks the moments with both cores free. A recording's value is the mean of its slices for CPU time
and their median for wall time, which has heavier tails. Slices of a recording are not independent; they are no units.

A gate looks several times at a growing number of recordings, and each look may spend a part of the error levels.
"""

import dataclasses
import functools
import math

import numpy as np
from scipy import optimize, special, stats

from benchmarks.gate.recording import METRICS, GateError

# Others' share of the cores up to which a half counts as quiet.
QUIET = 0.05
# /proc/stat counts in ticks of 10 ms: of a shorter time it says nothing.
SHORTEST_LOAD = 0.2

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
# Standard deviations beyond which a normal density counts as nothing.
_FAR = 9.0

_COMBINE = {"cpu": np.mean, "wall": np.median}


@dataclasses.dataclass(frozen=True)
class PairRatios:
    """A recording's log ratios, (entry, metric) -> value, and whether the machine was quiet in both halves.

    `share`: others' part of the cores in the busier half, 0 to 1; None where it is unknown.
    """

    values: dict
    share: float | None

    @property
    def quiet(self):
        return self.share is not None and self.share <= QUIET


def of(recording, schedule, cores):
    """The PairRatios of a checked Recording on a machine of `cores`."""
    values = {}
    for entry, baseline in recording.baseline.entries.items():
        candidate = recording.candidate.entries[entry]
        for metric in METRICS:
            slices = slice_ratios(getattr(baseline, metric), getattr(candidate, metric), schedule)
            values[entry, metric] = float(_COMBINE[metric](slices))
    return PairRatios(values, busier_share(recording, cores))


def of_all(taken):
    """The PairRatios of each of the checked Recordings, in order."""
    return [of(each, taken.schedule, taken.machine["cores"]) for each in taken.recordings]


def slice_ratios(baseline, candidate, schedule):
    """Log ratios of the used turns, in order; times of all steps in one unit."""
    return np.log(_turn_medians(candidate, schedule) / _turn_medians(baseline, schedule))


def _turn_medians(times, schedule):
    starts = np.arange(0, len(times), schedule.turn)
    turns = np.asarray(times, float).reshape(-1, schedule.turn)
    return np.median(turns[starts >= schedule.warmup, schedule.behind_switch :], axis=1)


def busier_share(recording, cores):
    """Others' part of the cores in the half in which it was larger; None where it is unknown."""
    shares = [others_share(half, cores) for half in (recording.baseline, recording.candidate)]
    return None if None in shares else max(shares)


def known_shares(recordings, cores):
    """`busier_share` of each of the recordings in which it is known."""
    shares = [busier_share(each, cores) for each in recordings]
    return [share for share in shares if share is not None]


def others_share(half, cores):
    """Which part of the cores others used during a half, from 0 on; None where it is unknown."""
    if half.busy is None or half.elapsed < SHORTEST_LOAD:
        return None
    return max(0.0, (half.busy - half.own) / (cores * half.elapsed))


def usable(pairs, entry, metric):
    """The values that may be judged: wall time of a busy machine says nothing of a quiet one."""
    return [pair.values[entry, metric] for pair in pairs if is_usable(pair, metric)]


def is_usable(pair, metric):
    return metric == "cpu" or pair.quiet


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
        raise GateError(f"[interval] {count} values; wanted at least 2")
    mean = float(np.mean(values))
    error = float(np.std(values, ddof=1)) / math.sqrt(count)
    below, above = (-special.stdtrit(count - 1, level) for level in (lower_level, upper_level))
    return Interval(mean, mean - below * error, mean + above * error)


@functools.cache
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
        lambda bound: float(mass @ stats.norm.sf((bound - points) / spread)) - level, -_FAR, _FAR, xtol=1e-12
    )
