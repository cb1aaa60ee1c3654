"""Measures what the gate does on recordings of one program against itself: false alarms, slowdowns found, time taken.

Example:
  ./bazelw run //benchmarks/gate:resample -- recordings.json --gates=2000

Draws gates from each file and prints, for several slowdowns in multiples of delta, the verdicts in percent. A file holds
A/A recordings as docs/formats.md says, any number of them.
"""
import argparse
import math
import random
import sys

from benchmarks.gate import calibration, recording_check, recording_file, resampling
from reports import command

MULTIPLES = (0, 1, 1.5, 2, 3)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog='resample', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('recordings', nargs='+', metavar='FILE', help='A/A recordings')
    parser.add_argument('--gates', type=int, default=2000, help='gates a row (%(default)s)')
    parser.add_argument('--budget', type=float, default=math.inf, metavar='SECONDS',
                        help='after which the time of a gate is over (none)')
    parser.add_argument('--seed', type=int, default=1, help='of the draws (%(default)s)')
    return parser.parse_args(arguments)


def slowed_tests(taken):
    """(label, the tests that become slower) of each table row."""
    entries, metrics = taken.entry_names(), taken.metrics
    everything = [(entry, metric) for entry in entries for metric in metrics]
    kinds = [('all entries', everything)]
    kinds += [(f'only {entry}', [test for test in everything if test[0] == entry]) for entry in entries]
    return kinds + [('waits: wall time only', [test for test in everything if test[1] == 'wall'])]


def print_table(taken, gates, seed, budget=math.inf):
    pool = resampling.pairs_of(recording_check.check(taken))
    deltas = {(entry, metric): calibration.SMALLEST_DELTA for entry in taken.entry_names() for metric in taken.metrics}
    print(f'  {len(pool)} recordings, {sum(pair.quiet for pair, _ in pool)} quiet; percent of {gates} gates')
    for label, tests in slowed_tests(taken):
        print(f'  {label}')
        for multiple in MULTIPLES:
            slowdowns = {test: multiple * deltas[test] for test in tests}
            results, recordings, seconds = resampling.run(
                pool, deltas, taken.schedule.looks, slowdowns, gates, random.Random(seed),
                budget=budget)
            shares = '  '.join(f'{result} {100 * results[result] / gates:.2f}' for result in resampling.RESULTS)
            print(f'    {multiple} delta: {shares}  recordings {recordings:.1f}  seconds {seconds:.0f}', flush=True)


def print_tables(options):
    for path in options.recordings:
        print(path)
        print_table(recording_file.load(command.user_path(path))[0], options.gates, options.seed,
                    options.budget)


def main(arguments=None):
    """Exit status 0, or 2 with a line on stderr that says what is wrong."""
    options = parse_arguments(arguments)
    return command.run(lambda: print_tables(options), on_error=2)


if __name__ == '__main__':
    sys.exit(main())
