"""Writes the files of a contribution with their places to be filled in, and prints what is left to do.

    ./bazelw run //conformance:new -- case input/rebatch/a_last_batch_of_one_row_is_split
    ./bazelw run //conformance:new -- step dataset.window input/transform/a_window_is_a_dataset
    ./bazelw run //conformance:new -- testee my_framework --ranks
    ./bazelw run //conformance:new -- deviation keras keras_clip_of_each_replica training/fit/clipping_is_of_the_sum
    ./bazelw run //conformance:new -- mutant losses/loss/weights_are_lost

The list names each place by file and line, with the command that refuses it as long as it is not filled in.
Exit status: 0 written; 2 nothing was written, for the reason on stderr.
"""

import argparse
import sys

from command_line import version_option
from conformance.new import case, deviation, mutant, step, testee
from conformance.new.contribution import Contribution, Refused
from tools import source_tree

KINDS = {"case": case, "step": step, "testee": testee, "deviation": deviation, "mutant": mutant}


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="./bazelw run //conformance:new --",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version_option.add(parser)
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    for name, kind in KINDS.items():
        summary = kind.__doc__.split("\n", maxsplit=1)[0]
        of_kind = kinds.add_parser(name, help=summary, description=kind.__doc__)
        of_kind.add_argument("name", metavar=kind.NAME)
        kind.add_arguments(of_kind)
    return parser.parse_args(arguments)


def main(arguments, root=None):
    options = parse_arguments(arguments)
    contribution = Contribution(root or source_tree.find_root())
    try:
        KINDS[options.kind].write(contribution, options.name, options)
        contribution.save()
    except (Refused, OSError) as error:
        print("[New] %s: %s" % (options.kind, error), file=sys.stderr)
        return 2
    print("Wrote %s\n\nLeft to do:" % ", ".join(contribution.paths))
    for number, text in enumerate(contribution.left_to_do(), 1):
        print("%3d. %s" % (number, text))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
