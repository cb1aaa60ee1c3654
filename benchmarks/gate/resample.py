"""Measures what the gate does on recordings of one program against itself: false alarms, slowdowns found, time taken.

Example:
  ./bazelw run //benchmarks/gate:resample -- recordings.json --gates=2000

Draws gates from each file and prints, for several slowdowns in multiples of delta, the verdicts in percent. A file
holds A/A recordings as docs/formats.md says, any number of them.
"""

# A gate takes windows of two neighbouring recordings with replacement, so the order inside is kept, and lets chance say
# which side is the candidate. A slowdown scales the candidate's times, which adds its log to the log ratios.
import argparse
import collections
import itertools
import math
import random
import sys

from benchmarks.gate import ratios, recording, recording_file, verdict
from benchmarks.gate.recording import SMALLEST_DELTA
from command_line import version_option
from command_line.user_paths import user_path
from reports import command

MULTIPLES = (0, 1, 1.5, 2, 3)
WINDOW = 2
# What is counted apart, in this order: a verdict's outcome, and whether it is fine by CPU time alone.
RESULTS = ("regression", "fine", "fine, wall not judged", "undecided")


def pairs_of(taken):
    """[(PairRatios, seconds it took)] of checked Recordings, in order."""
    return [(pair, each.seconds) for pair, each in zip(ratios.of_all(taken), taken.recordings)]


def run(pool, deltas, looks, slowdowns, gates, rng, required=("cpu",), budget=math.inf):
    """Judges `gates` gates drawn from a pool of `pairs_of`.

    `deltas`: as verdict.decide takes them. `slowdowns`: (entry, metric) -> share by which the candidate takes longer
    (0.06: 6 %); tests that are not in it are left as they are. `rng`: a random.Random. `required`: metrics, as
    verdict.decide takes them. `budget`: seconds, after which the time of a gate is over. Returns (Counter of results,
    mean number of recordings, mean seconds); a result is one of RESULTS.
    """
    results, recordings, seconds = collections.Counter(), 0, 0.0
    for _ in range(gates):
        drawn = _draw(pool, looks[-1], slowdowns, rng)
        fitting = _fitting([took for _, took in drawn], budget)
        judged = verdict.decide(
            [pair for pair, _ in drawn[:fitting]], deltas, looks, required, is_over=fitting < len(drawn)
        )
        results[_result(judged)] += 1
        recordings += judged.looked_at
        seconds += sum(took for _, took in drawn[: judged.looked_at])
    return results, recordings / gates, seconds / gates


def _draw(pool, count, slowdowns, rng):
    drawn = []
    while len(drawn) < count:
        start = rng.randrange(len(pool) - WINDOW + 1)
        for pair, took in pool[start : start + WINDOW]:
            sign = rng.choice((-1, 1))
            values = {test: sign * value + math.log1p(slowdowns.get(test, 0.0)) for test, value in pair.values.items()}
            drawn.append((ratios.PairRatios(values, pair.share), took))
    return drawn[:count]


def _fitting(seconds, budget):
    """How many of these, one after the other, take no longer than the budget."""
    return sum(total <= budget for total in itertools.accumulate(seconds))


def _result(judged):
    blind = any(test.outcome == verdict.Outcome.NOT_JUDGED for test in judged.tests)
    skipped = judged.outcome == verdict.Outcome.FINE and blind
    return judged.outcome.value + (", wall not judged" if skipped else "")


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="resample", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    version_option.add(parser)
    parser.add_argument("recordings", nargs="+", metavar="FILE", help="A/A recordings")
    parser.add_argument("--gates", type=int, default=2000, help="gates a row (%(default)s)")
    parser.add_argument(
        "--budget",
        type=float,
        default=math.inf,
        metavar="SECONDS",
        help="after which the time of a gate is over (none)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the draws (%(default)s)")
    return parser.parse_args(arguments)


def slowed_tests(taken):
    """(label, the tests that become slower) of each table row."""
    everything = taken.tests()
    kinds = [("all entries", everything)]
    kinds += [(f"only {entry}", [test for test in everything if test[0] == entry]) for entry in taken.entry_names()]
    return kinds + [("waits: wall time only", [test for test in everything if test[1] == "wall"])]


def print_table(taken, gates, seed, budget=math.inf):
    pool = pairs_of(recording.check(taken))
    deltas = dict.fromkeys(taken.tests(), SMALLEST_DELTA)
    print(f"  {len(pool)} recordings, {sum(pair.quiet for pair, _ in pool)} quiet; percent of {gates} gates")
    for label, tests in slowed_tests(taken):
        print(f"  {label}")
        for multiple in MULTIPLES:
            slowdowns = {test: multiple * deltas[test] for test in tests}
            results, recordings, seconds = run(
                pool, deltas, taken.schedule.looks, slowdowns, gates, random.Random(seed), budget=budget
            )
            shares = "  ".join(f"{result} {100 * results[result] / gates:.2f}" for result in RESULTS)
            print(f"    {multiple} delta: {shares}  recordings {recordings:.1f}  seconds {seconds:.0f}", flush=True)


def print_tables(options):
    for path in options.recordings:
        print(path)
        print_table(recording_file.load(user_path(path))[0], options.gates, options.seed, options.budget)


def main(arguments=None):
    """Exit status 0, or 2 with a line on stderr that says what is wrong."""
    options = parse_arguments(arguments)
    return command.run(lambda: print_tables(options), on_error=2)


if __name__ == "__main__":
    sys.exit(main())
