"""Gates drawn from recorded A/A pairs: what a gate calls where nothing changed, and where something is slower.

A gate takes windows of two neighbouring recordings with replacement, so the order inside is kept, and lets chance say
which side is the candidate. A slowdown scales the candidate's times, which adds its log to the log ratios.
"""
import collections
import itertools
import math

from benchmarks.gate import ratios, verdict

WINDOW = 2
# What is told apart, in this order: a verdict's outcome, and whether it is fine by CPU time alone.
RESULTS = ('regression', 'fine', 'fine, wall not judged', 'undecided')


def pairs_of(taken):
    """[(PairRatios, seconds it took)] of checked Recordings, in order."""
    return [(pair, each.seconds) for pair, each in zip(ratios.of_all(taken), taken.recordings)]


def run(pool, deltas, looks, slowdowns, gates, rng, required=('cpu',), budget=math.inf):
    """Judges `gates` gates drawn from a pool of `pairs_of`.

    `deltas`: as verdict.decide takes them. `slowdowns`: (entry, metric) -> share by which the candidate takes longer
    (0.06: 6 %); tests that are not in it are left as they are. `rng`: a random.Random. `required`: metrics, as
    verdict.decide takes them. `budget`: seconds, after which the time of a gate is over. Returns (Counter of results, mean number of recordings, mean seconds); a result is one of
    RESULTS.
    """
    results, recordings, seconds = collections.Counter(), 0, 0.0
    for _ in range(gates):
        drawn = _draw(pool, looks[-1], slowdowns, rng)
        fitting = _fitting([took for _, took in drawn], budget)
        judged = verdict.decide([pair for pair, _ in drawn[:fitting]], deltas, looks, required,
                                is_over=fitting < len(drawn))
        results[_result(judged)] += 1
        recordings += judged.looked_at
        seconds += sum(took for _, took in drawn[:judged.looked_at])
    return results, recordings / gates, seconds / gates


def _draw(pool, count, slowdowns, rng):
    drawn = []
    while len(drawn) < count:
        start = rng.randrange(len(pool) - WINDOW + 1)
        for pair, took in pool[start:start + WINDOW]:
            sign = rng.choice((-1, 1))
            values = {test: sign * value + math.log1p(slowdowns.get(test, 0.0))
                      for test, value in pair.values.items()}
            drawn.append((ratios.PairRatios(values, pair.share), took))
    return drawn[:count]


def _fitting(seconds, budget):
    """How many of these, one after the other, take no longer than the budget."""
    return sum(total <= budget for total in itertools.accumulate(seconds))


def _result(judged):
    blind = any(test.outcome == verdict.Outcome.NOT_JUDGED for test in judged.tests)
    skipped = judged.outcome == verdict.Outcome.FINE and blind
    return judged.outcome.value + (', wall not judged' if skipped else '')
