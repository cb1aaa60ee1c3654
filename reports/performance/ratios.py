"""How many times faster ours is: than peers of the same run, and than ours of another date.

Only what took turns with each other gets an interval and a verdict: round i is divided by round i, and the interval is
Student's on the logarithms of these ratios (The Probable Error of a Mean, Biometrika 6, 1908), so that a ratio and its
inverse are treated the same. Each interval holds by itself: nothing is corrected for their number.
"""

import collections
import dataclasses
import math
import statistics

from scipy import special

from reports.performance import entry_name

CONFIDENCE = 0.95


@dataclasses.dataclass(frozen=True)
class Interval:
    """`ratio`: the geometric mean of `count` ratios; `low` and `high`: its bounds, None for one ratio."""

    ratio: float
    low: float | None
    high: float | None
    count: int

    @property
    def verdict(self):
        """'faster', 'slower', 'no difference shown', or 'one round' where there is no interval."""
        if self.low is None:
            return "one round"
        if self.low > 1:
            return "faster"
        return "slower" if self.high < 1 else "no difference shown"


@dataclasses.dataclass(frozen=True)
class PeerRatio:
    """Ours against a peer. `interval` is None where they took no turns: then there is `ratio`, of medians, alone."""

    ours: object
    theirs: object
    ratio: float
    interval: Interval | None

    @property
    def verdict(self):
        return self.interval.verdict if self.interval else "not measured in turns"


@dataclasses.dataclass(frozen=True)
class DateRatio:
    """Ours of the newest date against the date before, on one machine: never measured together."""

    new: object
    old: object
    ratio: float


@dataclasses.dataclass(frozen=True)
class Drift:
    """The two rounds of one program that lie furthest apart: how much a machine differs from itself."""

    series: object
    ratio: float


def interval_of(ratios):
    """The Interval of positive ratios, at least one."""
    logs = [math.log(ratio) for ratio in ratios]
    mean, count = statistics.fmean(logs), len(logs)
    if count == 1:
        return Interval(math.exp(mean), None, None, 1)
    error = statistics.stdev(logs) / math.sqrt(count)
    half = float(special.stdtrit(count - 1, (1 + CONFIDENCE) / 2)) * error
    return Interval(math.exp(mean), math.exp(mean - half), math.exp(mean + half), count)


def against_peers(series):
    """[PeerRatio] of ours and every peer that did the same work, file by file, in the files' order."""
    by_source = collections.defaultdict(list)
    for one in series:
        by_source[one.source.name].append(one)
    return [
        _peer_ratio(ours, theirs)
        for of_file in by_source.values()
        for ours in of_file
        if ours.is_ours
        for theirs in of_file
        if not theirs.is_ours and _comparable(ours, theirs)
    ]


def _comparable(ours, theirs):
    # compare.py's suite "input" sets two names of one work side by side: ours counts items, a peer images or batches.
    free = ours.source.suite == "input"
    same_unit = ours.unit.text == theirs.unit.text or free and ours.unit.more_is_better and theirs.unit.more_is_better
    return same_unit and entry_name.same_work(ours.name, theirs.name, any_path=free)


def _peer_ratio(ours, theirs):
    rounds = sorted(round_ for round_ in ours.rounds.keys() & theirs.rounds.keys() if round_ is not None)
    ratios = [
        statistics.median(ours.turns[round_])
        if round_ in ours.turns
        else _times_faster(ours, ours.rounds[round_], theirs.rounds[round_])
        for round_ in rounds
    ]
    if not ratios:
        return PeerRatio(ours, theirs, _times_faster(ours, ours.figures(), theirs.figures()), None)
    interval = interval_of(ratios)
    return PeerRatio(ours, theirs, interval.ratio, interval)


def _times_faster(ours, figures, others):
    ratio = statistics.median(figures) / statistics.median(others)
    return ratio if ours.unit.more_is_better else 1 / ratio


def against_dates(histories):
    """[DateRatio] of the two newest of each history (trends.histories), ours only; the newest files first."""
    changes = [
        DateRatio(new, old, _times_faster(new, new.figures(), old.figures()))
        for *_, old, new in histories
        if new.is_ours
    ]
    return sorted(changes, key=lambda change: (change.new.source.date, change.old.source.date), reverse=True)


def largest_drift(series):
    """The Drift of all series with several rounds; None where there are none."""
    drifts = [Drift(one, max(one.figures()) / min(one.figures())) for one in series if len(one.rounds) > 1]
    return max(drifts, key=lambda drift: drift.ratio, default=None)
