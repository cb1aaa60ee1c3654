"""A program that takes Google Benchmark's options and writes its file, for tests; its times are made up."""
import argparse
import json
import re
import sys

REAL, CPU = 20.0, 10.0
NAMES = ('Sort/1000', 'Sort/2000', 'Copy')


def parse(arguments):
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument('--benchmark_filter', required=True)
    parser.add_argument('--benchmark_repetitions', type=int, required=True)
    parser.add_argument('--benchmark_out', required=True)
    parser.add_argument('--benchmark_out_format', choices=('json',), required=True)
    parser.add_argument('--names', default=','.join(reversed(NAMES)))
    parser.add_argument('--slower', type=float, default=0.0, help='percent')
    parser.add_argument('--first', type=float, default=5.0, help='how many times as long the first repetition takes')
    parser.add_argument('--unit', default='us')
    parser.add_argument('--cpu', type=float, default=CPU)
    parser.add_argument('--error', default='')
    return parser.parse_args(arguments)


def runs(options, name):
    for number in range(options.benchmark_repetitions):
        factor = (1 + options.slower / 100) * (options.first if number == 0 else 1)
        yield {'name': name, 'run_name': name, 'family_index': NAMES.index(name), 'run_type': 'iteration',
               'repetitions': options.benchmark_repetitions, 'repetition_index': number, 'iterations': 1000 + number,
               'real_time': REAL * factor, 'cpu_time': options.cpu * factor, 'time_unit': options.unit,
               'own_us': 3.0 * factor}


def main():
    options = parse(sys.argv[1:])
    found = [name for name in options.names.split(',') if re.search(options.benchmark_filter, name)]
    # As with random interleaving, a later repetition may stand before an earlier one.
    entries = [run for name in found for run in reversed(list(runs(options, name)))]
    entries += [{**next(runs(options, name)), 'name': f'{name}_mean', 'run_type': 'aggregate', 'aggregate_name': 'mean'}
                for name in found]
    if options.error:
        entries[0].update(error_occurred=True, error_message=options.error)
    with open(options.benchmark_out, 'w', encoding='utf-8') as file:
        json.dump({'context': {'compiler': 'example 1.0'}, 'benchmarks': entries}, file)


if __name__ == '__main__':
    main()
