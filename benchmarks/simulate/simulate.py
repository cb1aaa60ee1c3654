"""Predicts the throughput of a training on more replicas than were measured.

A file says what was measured, on which cluster; docs/simulate.md describes it. Examples:
  ./bazelw run //benchmarks:simulate -- vgg16.json --replicas=64,128,512
  ./bazelw run //benchmarks:simulate -- vgg16.json --replicas=512 --between=12.5    # GB/s between nodes
  ./bazelw run //benchmarks:simulate -- vgg16.json --replicas=512 --batch=128
  ./bazelw run //benchmarks:simulate -- cnn.json --scaling=results/scaling.json --trace=step.json \\
      --sweep=results/all_reduce.json --replicas=16 --json=forecast.json --plot=forecast.svg

Exit status: 0; 1 when it cannot predict, with the reason; 2 for a wrong command line.
"""

import argparse
import dataclasses
import json
import sys

from benchmarks.simulate import forecast_plot, what_if
from benchmarks.simulate.input import read_series, with_scaling, with_sweep, with_trace
from benchmarks.simulate.prediction import Predictor
from command_line import own_command, version_option
from command_line.user_paths import user_path
from reports import command, json_file

# More replicas than any cluster has: a typing error.
MOST_REPLICAS = 1 << 20


def replica_counts(text):
    """[64, 128] of "64,128"."""
    try:
        counts = [int(word) for word in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"got {text!r}; wanted numbers separated by commas: 64,128") from None
    if not all(1 <= count <= MOST_REPLICAS for count in counts):
        raise argparse.ArgumentTypeError(f"got {text!r}; each must be in 1 .. {MOST_REPLICAS}")
    return counts


def positive(text):
    """A positive number."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"got {text!r}; wanted a positive number")
    return value


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog=own_command.program_name(), description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    version_option.add(parser)
    parser.add_argument("series", metavar="FILE", help="what was measured, on which cluster; - is the standard input")
    parser.add_argument("--replicas", type=replica_counts, required=True, metavar="N,...", help="what to predict")
    parser.add_argument("--accumulation", type=int, default=1, metavar="N", help="micro batches a step (1)")
    parser.add_argument("--scaling", metavar="FILE", help="take the throughputs from this result of //benchmarks:scaling")
    parser.add_argument("--trace", metavar="FILE", help="take gradients and passes from this trace of //benchmarks:scaling")
    parser.add_argument("--sweep", metavar="FILE", help="take latencies and bandwidths from this all-reduce sweep")
    parser.add_argument("--batch", type=positive, metavar="N", help="what another batch of a replica would bring")
    parser.add_argument("--between", type=positive, metavar="GB/S", help="what another network would bring")
    parser.add_argument("--unmeasured", action="store_true", help="trust bandwidths of levels that were not measured")
    parser.add_argument("--json", metavar="FILE", help="write the forecasts")
    parser.add_argument("--plot", metavar="FILE", help="write a plot, SVG")
    options = parser.parse_args(arguments)
    if options.accumulation < 1:
        parser.error("--accumulation must be at least 1")
    return options


def read(options):
    """The fitted series, and the one to predict, None if it is the same. Errors: ReportError."""
    series, batches = read_series(options.series if options.series == "-" else user_path(options.series))
    if options.scaling:
        series = with_scaling(series, json_file.load(user_path(options.scaling), figures=True))
    if options.trace:
        series = with_trace(series, json_file.load(user_path(options.trace), figures=True))
    if options.sweep:
        series = with_sweep(series, json_file.load(user_path(options.sweep), constants=True))
    changed = None
    if options.batch:
        changed = what_if.with_batch(series, options.batch, batches)
    if options.between:
        changed = what_if.with_bandwidth(changed or series, options.between * 1e9)
    return series, changed


def table(series, forecasts):
    """The forecasts as lines for people."""
    lines = [f"{'replicas':>9} {series.examples + '/s':>14} {'four of five within':>25} {'efficiency':>11}  bound by"]
    for one in forecasts:
        interval = f"{one.low:,.0f} .. {one.high:,.0f}"
        lines.append(
            f"{one.replicas:>9} {one.throughput:>14,.0f} {interval:>25} {100 * one.efficiency:>9.1f} %  {one.binding}"
        )
    return "\n".join(lines)


def work(options):
    """Prints and writes the forecasts. Errors: ReportError, OSError."""
    as_json, plot = map(command.output, (options.json, options.plot))
    series, changed = read(options)
    predictor = Predictor(series)
    if not options.unmeasured:
        predictor.check_measured(max(options.replicas))
    forecasts = [predictor.predict(count, options.accumulation, changed) for count in options.replicas]
    print(f"{series.name}, fitted to {len(series.measured)} measurements of up to {series.measured[-1].replicas} replicas")
    print(table(series, forecasts))
    as_json.write(
        json.dumps({"name": series.name, "forecasts": [dataclasses.asdict(one) for one in forecasts]}, indent=2) + "\n"
    )
    if options.plot:
        plot.write(forecast_plot.picture(series, forecasts))


def main(arguments=None):
    """Exit status 0, or 1 with a line on stderr that says what is wrong."""
    options = parse_arguments(arguments)
    return command.run(lambda: work(options))


if __name__ == "__main__":
    sys.exit(main())
