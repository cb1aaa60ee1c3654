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


def histories(series):
    """Lists of Series, by date, of one entry, program, configuration and machine; two at least in each.

    Machines that their files do not tell are in none.
    """
    groups = collections.defaultdict(list)
    for one in sorted(series, key=lambda one: one.source.date):
        if one.machine is not None:
            groups[(one.machine, one.program, one.name, one.unit, one.configuration)].append(one)
    return [group for group in groups.values() if len(group) > 1]


def find(series):
    """The [Trend] of rates and times, then those of efficiency."""
    of_rates = [Trend(group[-1].source.machine.words, group[-1].unit.text, group[-1].name, group[-1].program,
                      tuple(_point(one) for one in group)) for group in histories(series)]
    return of_rates + _of_efficiency(series)


def _point(one):
    return Point(one.source.date, one.source.name, one.source.complete,
                 tuple(value / one.unit.scale for value in one.spread()), len(one.figures()))


def _of_efficiency(series):
    ratios = scaling_curves.efficiencies(series)
    found = []
    for group in histories([one for one in series if ratios.get(id(one)) and one.name.number('replicas') > 1]):
        points = tuple(Point(one.source.date, one.source.name, one.source.complete,
                             result_file.spread(ratios[id(one)]), len(ratios[id(one)])) for one in group)
        found.append(Trend(group[-1].source.machine.words, 'efficiency', group[-1].name, group[-1].program, points))
    return found
