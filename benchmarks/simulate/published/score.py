"""Shows how well the model of benchmarks/simulate predicts published scaling tables.

Examples:
  ./bazelw run //benchmarks/simulate/published:score
  ./bazelw run //benchmarks/simulate/published:score -- --without="NVIDIA, PyTorch BERT-large, A100"
  ./bazelw run //benchmarks/simulate/published:score -- --points     # each predicted measurement
"""

import argparse
import math
import sys

from benchmarks.simulate.published import published
from command_line import version_option
from reports import command

_HEAD = "| series | points | median | 90th percentile | largest | carried forward: median | covered | far: better by |"


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    version_option.add(parser)
    parser.add_argument("--without", metavar="FAMILY", action="append", default=[], help="a family to leave out")
    parser.add_argument("--points", action="store_true", help="also a line for each predicted measurement")
    return parser.parse_args(arguments)


def row(name, points):
    """A line of the table; errors in percent."""
    found = published.score(points)
    gain = "" if math.isnan(found.far_gain) else f"{100 * found.far_gain:.0f} %"
    return (
        f"| {name} | {found.count} | {found.median:.1f} | {found.percentile_90:.1f} | {found.largest:.1f} "
        f"| {found.carried_median:.1f} | {100 * found.coverage:.0f} % | {gain} |"
    )


def show(options):
    """Prints the table."""
    print(_HEAD)
    print("|---" * 8 + "|")
    everything = []
    for family in published.families():
        if family.name in options.without:
            continue
        points = published.predicted_points(family)
        print(row(family.name, points))
        everything += points
    print(row("all", everything))
    if options.points:
        for point in everything:
            print(f"{point.series}: {point.replicas} replicas {100 * point.error:+.1f} %, ", end="")
            print(f"carried forward {100 * point.carried:+.1f} %")


def main(arguments=None):
    options = parse_arguments(arguments)
    return command.run(lambda: show(options))


if __name__ == "__main__":
    sys.exit(main())
