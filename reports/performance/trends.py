"""What an entry measured from date to date, on one machine. Different machines are never joined."""

import collections
import dataclasses
import datetime

from reports.performance import result_file, scaling_curves


@dataclasses.dataclass(frozen=True)
class Point:
    """`spread`: (lower quartile, median, upper quartile) of `count` figures, as shown; `source`: the file's name."""

    date: datetime.datetime
    source: str
    complete: bool
    spread: tuple
    count: int


@dataclasses.dataclass(frozen=True)
class Trend:
    """`unit`: of the points, for people; `name`: the entry's; `program`: whose; `points`: by date, two at least."""

    machine: str
    unit: str
    name: object
    program: str
    points: tuple


def histories(series, apart=lambda one: None):
    """Lists of Series, by date, of one entry, program, configuration and machine; two at least in each.

    Machines that their files do not tell are in none. `apart`(Series) has to be equal too.
    """
    groups = collections.defaultdict(list)
    for one in sorted(series, key=lambda one: one.source.date):
        if one.machine is not None:
            groups[(one.machine, one.program, one.name, one.unit, one.configuration, apart(one))].append(one)
    return [group for group in groups.values() if len(group) > 1]


def find(series):
    """The [Trend] of rates and times, then those of efficiency."""
    of_rates = [
        Trend(
            group[-1].source.machine.words,
            group[-1].unit.text,
            group[-1].name,
            group[-1].program,
            tuple(_point(one) for one in group),
        )
        for group in histories(series)
    ]
    return of_rates + _of_efficiency(series)


def _point(one):
    return Point(
        one.source.date,
        one.source.name,
        one.source.complete,
        tuple(value / one.unit.scale for value in one.spread()),
        len(one.figures()),
    )


def _of_efficiency(series):
    efficiency = scaling_curves.efficiencies(series)
    compared = [
        one
        for one in series
        if id(one) in efficiency and efficiency[id(one)].ratios and scaling_curves.replicas(one) > 1
    ]
    found = []
    for group in histories(compared, apart=lambda one: efficiency[id(one)].scaling):
        of_group = [(one, efficiency[id(one)].ratios) for one in group]
        points = tuple(
            Point(one.source.date, one.source.name, one.source.complete, result_file.spread(ratios), len(ratios))
            for one, ratios in of_group
        )
        unit = f"efficiency ({efficiency[id(group[0])].scaling} scaling)"
        found.append(Trend(group[-1].source.machine.words, unit, group[-1].name, group[-1].program, points))
    return found
