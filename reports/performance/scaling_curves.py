"""Examples/s and efficiency over the number of replicas, as measured in one file.

Replicas are those of all workers. Efficiency is examples/s over that of one worker's one replica in the same file: round
by round where the file has rounds, epoch by
epoch where the entries have epochs (they take turns), else the one figure that the entry states.
"""

import collections
import dataclasses
import statistics

from reports.performance import result_file
from reports.performance.series import program_words

_COUNTS = ("workers", "replicas", "global_batch_size", "implementation")


@dataclasses.dataclass(frozen=True)
class Efficiency:
    """`ratios` of examples/s to one replica's; `scaling`: weak, strong or other, by which that one's batch differs."""

    scaling: str
    ratios: list


@dataclasses.dataclass(frozen=True)
class CurvePoint:
    """`rate`: quartiles of examples/s; `efficiency`: quartiles of `count` ratios, None without a run of one replica."""

    replicas: int
    rate: tuple
    efficiency: tuple | None
    count: int


@dataclasses.dataclass(frozen=True)
class Curve:
    """`work`: EntryName without workers, replicas and batch; `workers`: of each point; `scaling`: weak, strong or
    other;
    `points`: by replicas."""

    source: object
    work: object
    program: str
    workers: int
    scaling: str
    points: tuple
    unit: str  # of rates: "images/s"

    @property
    def label(self):
        """Which of a work's curves it is, for people: 'Lockstep', 'Lockstep, 2 workers'."""
        words = program_words(self.program)
        return words if self.workers == 1 else f"{words}, {self.workers} workers"

    @property
    def shares_cores(self):
        """Whether all replicas share one machine's cores, so that the ideal is as many examples/s as with one."""
        return self.work.by_key.get("device", "cpu") == "cpu"


def find(series):
    """The [Curve] of all that was trained at two or more numbers of workers or replicas in one file."""
    found, efficiency = [], efficiencies(series)
    for (_, work, program), group in _groups(series).items():
        if len(group) < 2:
            continue
        for workers in sorted({_workers(one) for one in group}):
            points = [
                CurvePoint(replicas(one), one.spread(), *_told(efficiency.get(id(one))))
                for one in group
                if _workers(one) == workers
            ]
            found.append(Curve(group[0].source, work, program, workers, _scaling(group), tuple(points), group[0].unit.text))
    return found


def efficiencies(series):
    """{id(Series): Efficiency} of all Series of training that have a run of one replica to compare with."""
    found = {}
    for group in _groups(series).values():
        if replicas(group[0]) == 1:
            found.update({id(one): Efficiency(_scaling(group), _ratios(one, group[0])) for one in group})
    return found


def replicas(one):
    """How many replicas all workers of a Series have together; 0 where its name does not tell."""
    return _workers(one) * (one.name.number("replicas") or 0)


def _workers(one):
    return one.name.number("workers") or 1


def _groups(series):
    """(source, work, program) -> its Series by replicas, of as many by workers."""
    groups = collections.defaultdict(list)
    for one in series:
        if one.name.path == "Train" and replicas(one):
            program = one.name.by_key.get("implementation", one.program)
            groups[(one.source.name, one.name.without(*_COUNTS), program)].append(one)
    return {key: sorted(group, key=lambda one: (replicas(one), _workers(one))) for key, group in groups.items()}


def _ratios(one, base):
    shared = sorted(round_ for round_ in one.rounds.keys() & base.rounds.keys() if round_ is not None)
    if shared:
        return [statistics.median(one.rounds[r]) / statistics.median(base.rounds[r]) for r in shared]
    epochs = [
        (mine["items_per_second"], other["items_per_second"])
        for mine, other in zip(one.entries[0].get("epochs", ()), base.entries[0].get("epochs", ()))
        if mine.get("items_per_second") and other.get("items_per_second")
    ]
    if epochs:
        return [mine / other for mine, other in epochs]
    stated = one.entries[0].get("efficiency")
    return [stated] if stated else []


def _told(efficiency):
    ratios = efficiency.ratios if efficiency else []
    return (result_file.spread(ratios), len(ratios)) if ratios else (None, 0)


def _scaling(group):
    """As the file says; else by the batches: in proportion to the replicas, or all the same."""
    if group[0].source.scaling:
        return group[0].source.scaling
    batches = [one.name.number("global_batch_size") for one in group]
    if None in batches:
        return "other"
    if len({batch / replicas(one) for batch, one in zip(batches, group)}) == 1:
        return "weak"
    return "strong" if len(set(batches)) == 1 else "other"
