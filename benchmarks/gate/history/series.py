"""Lines of a history that can be held against each other: an entry and metric, against one anchor on one machine."""
import dataclasses
import json

from benchmarks.gate.history import change_points


@dataclasses.dataclass(frozen=True)
class Series:
    """`lines`: by date. `points`: those of them that say something. `changes`: where their level changes; the index of
    a ChangePoint is one of `points`."""
    lines: tuple
    points: tuple
    changes: tuple


def of(lines):
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
    return Series(tuple(lines), tuple(points), tuple(change_points.find([line.estimate for line in points])))
