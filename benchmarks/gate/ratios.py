"""From the steps of a recording to one log ratio for each entry and metric.

A slice is a turn without the steps behind the switch: its value is the log of candidate over baseline of the medians of
its steps, positive where the candidate takes longer. A median, since the least time of a step is not robust in
parallel code: it picks the moments with both cores free. A recording's value is the mean of its slices for CPU time
and their median for wall time, which has heavier tails. Slices of a recording are not independent; they are no units.
"""
import dataclasses

import numpy as np

from benchmarks.gate.recording import METRICS

# Others' share of the cores up to which a half counts as quiet.
QUIET = 0.05
# /proc/stat counts in ticks of 10 ms: of a shorter time it says nothing.
SHORTEST_LOAD = 0.2

_COMBINE = {'cpu': np.mean, 'wall': np.median}


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
    return [of(each, taken.schedule, taken.machine['cores']) for each in taken.recordings]


def slice_ratios(baseline, candidate, schedule):
    """Log ratios of the used turns, in order; times of all steps in one unit."""
    return np.log(_turn_medians(candidate, schedule) / _turn_medians(baseline, schedule))


def _turn_medians(times, schedule):
    starts = np.arange(0, len(times), schedule.turn)
    turns = np.asarray(times, float).reshape(-1, schedule.turn)
    return np.median(turns[starts >= schedule.warmup, schedule.behind_switch:], axis=1)


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
    return metric == 'cpu' or pair.quiet
