"""Images/s and efficiency over the number of replicas, as measured in one file.

Efficiency is images/s over that of one replica in the same file: round by round where the file has rounds, epoch by
epoch where the entries have epochs (they take turns), else the one figure that the entry states.
"""
import collections
import dataclasses
import statistics

from reports.performance import result_file

_COUNTS = ('replicas', 'global_batch_size', 'implementation')


@dataclasses.dataclass(frozen=True)
class Efficiency:
    """`ratios` of images/s to one replica's; `scaling`: weak, strong or other, by which that one's batch differs."""
    scaling: str
    ratios: list


@dataclasses.dataclass(frozen=True)
class CurvePoint:
    """`rate`: quartiles of images/s; `efficiency`: quartiles of `count` ratios, None without a run of one replica."""
    replicas: int
    rate: tuple
    efficiency: tuple | None
    count: int


@dataclasses.dataclass(frozen=True)
class Curve:
    """`work`: EntryName without replicas and batch; `scaling`: weak, strong or other; `points`: by replicas."""
    source: object
    work: object
    program: str
    scaling: str
    points: tuple

    @property
    def shares_cores(self):
        """Whether all replicas share one machine's cores, so that the ideal is as many images/s as with one."""
        return self.work.by_key.get('device', 'cpu') == 'cpu'


def find(series):
    """The [Curve] of all that was trained at two or more numbers of replicas in one file."""
    found, efficiency = [], efficiencies(series)
    for (_, work, program), group in _groups(series).items():
        if len(group) < 2:
            continue
        points = [CurvePoint(one.name.number('replicas'), one.spread(), *_told(efficiency.get(id(one))))
                  for one in group]
        found.append(Curve(group[0].source, work, program, _scaling(group), tuple(points)))
    return found


def efficiencies(series):
    """{id(Series): Efficiency} of all Series of training that stand beside a run of one replica."""
    found = {}
    for group in _groups(series).values():
        if group[0].name.number('replicas') == 1:
            found.update({id(one): Efficiency(_scaling(group), _ratios(one, group[0])) for one in group})
    return found


def _groups(series):
    """(source, work, program) -> its Series by replicas."""
    groups = collections.defaultdict(list)
    for one in series:
        if one.name.path == 'Train' and one.name.number('replicas'):
            program = one.name.by_key.get('implementation', one.program)
            groups[(one.source.name, one.name.without(*_COUNTS), program)].append(one)
    return {key: sorted(group, key=lambda one: one.name.number('replicas')) for key, group in groups.items()}


def _ratios(one, base):
    shared = sorted(round_ for round_ in one.rounds.keys() & base.rounds.keys() if round_ is not None)
    if shared:
        return [statistics.median(one.rounds[r]) / statistics.median(base.rounds[r]) for r in shared]
    epochs = [(mine['images_per_second'], other['images_per_second'])
              for mine, other in zip(one.entries[0].get('epochs', ()), base.entries[0].get('epochs', ()))
              if mine.get('images_per_second') and other.get('images_per_second')]
    if epochs:
        return [mine / other for mine, other in epochs]
    stated = one.entries[0].get('efficiency')
    return [stated] if stated else []


def _told(efficiency):
    ratios = efficiency.ratios if efficiency else []
    return (result_file.spread(ratios), len(ratios)) if ratios else (None, 0)


def _scaling(group):
    """As the file says; else by the batches: in proportion to the replicas, or all the same."""
    if group[0].source.scaling:
        return group[0].source.scaling
    batches = [one.name.number('global_batch_size') for one in group]
    if None in batches:
        return 'other'
    if len({batch / one.name.number('replicas') for batch, one in zip(batches, group)}) == 1:
        return 'weak'
    return 'strong' if len(set(batches)) == 1 else 'other'
