"""Where a series of log ratios to one anchor changes its level; and which lines of a history make up such a series.

Small slowdowns, one after the other, pass every gate against the parent. Against an anchor that stays they add up, and
a step of a size that one gate cannot tell shows over several. Points come one by one: at each, the last WINDOW
points are split where the two sides differ most by Student's pooled t, and a split that is clear enough is a change
point. A large step is clear before there are FEWEST points after it, so the place is that of the best split when
FEWEST more have come. The search continues from there, so the next change is compared with the new level only.

The best of many splits is clearer than one that was fixed beforehand: 24 points without a change pass |t| = 4.7
somewhere with probability 0.001 (simulated).
"""

import dataclasses
import json

import numpy as np
from scipy import special

WINDOW = 24
# Points on each side of a split.
FEWEST = 4
CLEAR_T = 4.7
# As a log ratio: 0.75 %. Smaller ones are not worth looking into.
SMALLEST = 0.0075
# Two-sided, of the interval of a change's size.
CONFIDENCE = 0.95


@dataclasses.dataclass(frozen=True)
class ChangePoint:
    """`index`: the first value of the new level. `size`: new level less old one, a log ratio, with its 95 % interval
    as if the place had been known. `t`: Student's pooled t. `found`: the index of the value with which it was found;
    FEWEST values more may still move its place."""

    index: int
    size: float
    lower: float
    upper: float
    t: float
    found: int


def find(values):
    """The ChangePoints of a series of log ratios, in order of time."""
    values = np.asarray(values, float)
    changes, start = [], 0
    for end in range(2 * FEWEST, len(values) + 1):
        first = max(start, end - WINDOW)
        change = _best_split(values[first:end])
        if change and abs(change.t) > CLEAR_T and abs(change.size) > SMALLEST:
            settled = _best_split(values[first : end + FEWEST])
            start = first + settled.index
            changes.append(dataclasses.replace(settled, index=start, found=end - 1))
    return changes


def _best_split(values):
    """The ChangePoint of the split with the largest |t|; None for too few values."""
    count = len(values)
    if count < 2 * FEWEST:
        return None
    before = np.arange(FEWEST, count - FEWEST + 1)
    after = count - before
    # Sums of squares about a value among them, so that little is lost where they are subtracted.
    centered = values - values[0]
    sums = np.cumsum(centered)[before - 1]
    rest = centered.sum() - sums
    difference = rest / after - sums / before
    within = centered @ centered - sums**2 / before - rest**2 / after
    error = np.sqrt(np.maximum(within, 0) / (count - 2) * (1 / before + 1 / after))
    with np.errstate(divide="ignore", invalid="ignore"):  # values without spread
        t = difference / error
    best = int(np.argmax(np.abs(t)))
    half = -special.stdtrit(count - 2, (1 - CONFIDENCE) / 2) * error[best]
    size = float(difference[best])
    return ChangePoint(int(before[best]), size, size - half, size + half, float(t[best]), count - 1)


@dataclasses.dataclass(frozen=True)
class Series:
    """Lines that can be compared with each other: an entry and metric, against one anchor on one machine.

    `lines`: by date. `points`: those of them that say something. `changes`: where their level changes; the index of
    a ChangePoint is one of `points`."""

    lines: tuple
    points: tuple
    changes: tuple


def series_of(lines):
    """The Series of Lines that are sorted by date, in order of their first lines."""
    groups = {}
    for line in lines:
        groups.setdefault((place(line), line.entry, line.metric), []).append(line)
    return [_series(group) for group in groups.values()]


def place(line):
    """What the lines of a section of a report have in common: anchor and machine."""
    return line.anchor, json.dumps(line.machine, sort_keys=True)


def _series(lines):
    points = [line for line in lines if line.is_point]
    return Series(tuple(lines), tuple(points), tuple(find([line.estimate for line in points])))
