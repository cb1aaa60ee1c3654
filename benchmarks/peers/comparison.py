"""The order of interleaved runs, and the ratios of ours to each peer."""

import dataclasses
import math
import random
import statistics

RESAMPLINGS = 2000


def schedule(names, rounds):
    """Every name once a round, each round in the other direction: A B C, C B A, ...

    So a machine that gets slower or faster meanwhile favours neither.
    """
    order = list(names)
    return [name for turn in range(rounds) for name in order[:: 1 if turn % 2 == 0 else -1]]


@dataclasses.dataclass
class Ratio:
    """How many times faster ours was than a peer, over the rounds they shared."""

    peer: str
    setting: str
    ours: float  # medians over rounds, in the unit of the comparison
    theirs: float
    ratios: list  # a round each
    median: float
    low: float  # 95 % interval of the median, by bootstrap over the rounds
    high: float
    of_best: float  # best sample of ours over the best of theirs

    def row(self):
        spread = f"{self.low:.2f} .. {self.high:.2f}"
        return (
            f"{self.setting:32} {self.peer:28} {self.ours:13.6g} {self.theirs:13.6g} "
            f"{self.median:7.2f} {spread:>16} {self.of_best:7.2f} {len(self.ratios):6d}"
        )


HEADER = (
    f"{'setting':32} {'peer':28} {'ours':>13} {'peer':>13} {'ratio':>7} {'95 % interval':>16} {'best':>7} {'rounds':>6}"
)


def median_interval(values, seed=1):
    """The 95 % bootstrap interval of the median of ratios; a point for one value."""
    generator = random.Random(seed)
    logs = [math.log(value) for value in values]
    medians = sorted(statistics.median(generator.choices(logs, k=len(logs))) for _ in range(RESAMPLINGS))
    at = round(0.025 * (RESAMPLINGS - 1))
    return math.exp(medians[at]), math.exp(medians[-1 - at])


def compare(runs, ours, settings=None):
    """Ratios of `ours` to every other program, at each setting both have.

    `runs` maps a program to its runs in order, a run being {setting: samples}. Round i
    of one program is paired with round i of the other.
    """
    result = []
    for peer, theirs in runs.items():
        if peer == ours:
            continue
        shared = _settings(runs[ours]) & _settings(theirs)
        for setting in sorted(shared if settings is None else shared & set(settings)):
            result.append(_ratio(peer, setting, runs[ours], theirs))
    return sorted(result, key=lambda ratio: (ratio.setting, ratio.median))


def _settings(runs):
    """The settings that every run of a program has."""
    return set.intersection(*(set(run) for run in runs)) if runs else set()


def _ratio(peer, setting, our_runs, their_runs):
    pairs = [
        (statistics.median(mine[setting]), statistics.median(other[setting]))
        for mine, other in zip(our_runs, their_runs, strict=False)
    ]
    ratios = [mine / other for mine, other in pairs]
    low, high = median_interval(ratios)
    best_of_ours = max(max(run[setting]) for run in our_runs)
    best_of_theirs = max(max(run[setting]) for run in their_runs)
    return Ratio(
        peer=peer,
        setting=setting,
        ours=statistics.median(mine for mine, _ in pairs),
        theirs=statistics.median(other for _, other in pairs),
        ratios=ratios,
        median=math.exp(statistics.median(map(math.log, ratios))),
        low=low,
        high=high,
        of_best=best_of_ours / best_of_theirs,
    )


def table(ratios):
    """The comparison as a table; the first row of each setting is the best peer."""
    return "\n".join([HEADER, *(ratio.row() for ratio in ratios)])
