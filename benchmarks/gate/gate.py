"""Judges whether a candidate trains slower than a baseline, from recordings of both taking turns.

Example:
  ./bazelw run //benchmarks:gate -- --judge=recordings.json

Prints one line for each entry and metric. The same file gives the same bytes. Exit status: 0 fine, 1 regression,
3 undecided or a required metric not judged, 2 usage or a file that cannot be judged.
"""
import argparse
import sys

from benchmarks.gate import recording_file, report_text, verdict
from reports import command

CANNOT_JUDGE = 2


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog='gate', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--judge', required=True, metavar='FILE',
                        help='recordings to judge (docs/formats.md); - for the standard input')
    return parser.parse_args(arguments)


def judge_file(path):
    """Prints the verdict; its exit status."""
    taken, calibration = recording_file.load(path)
    judged = verdict.judge(taken, calibration)
    sys.stdout.write(report_text.render(judged, taken))
    return judged.exit_status


def main(arguments=None):
    """Exit status, see above; errors are a line on stderr."""
    options = parse_arguments(arguments)
    path = options.judge if options.judge == '-' else command.user_path(options.judge)
    return command.run(lambda: judge_file(path), on_error=CANNOT_JUDGE)


if __name__ == '__main__':
    sys.exit(main())
