"""Judges whether a candidate trains slower than a baseline, from recordings of both taking turns.

Examples:
  ./bazelw run //benchmarks:gate -- --judge=recordings.json
  ./bazelw run //benchmarks:gate -- --judge=recordings.json --markdown=comment.md --html=gate.html

Prints one line for each entry and metric, then what they rest on. The same file gives the same bytes. Exit status:
0 fine, 1 regression, 3 undecided or a required metric not judged, 2 usage or a file that cannot be judged.
"""
import argparse
import sys

from benchmarks.gate import recording_file, verdict
from benchmarks.gate.report import report_files
from reports import command

CANNOT_JUDGE = 2


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog='gate', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--judge', required=True, metavar='FILE',
                        help='recordings to judge (docs/formats.md); - for the standard input')
    report_files.add_arguments(parser)
    return parser.parse_args(arguments)


def judge_file(options):
    """Reports the verdict; its exit status."""
    files = report_files.ReportFiles(options)
    taken, calibration = recording_file.load(
        options.judge if options.judge == '-' else command.user_path(options.judge))
    judged = verdict.judge(taken, calibration)
    files.write_all(judged, taken, calibration)
    return judged.exit_status


def main(arguments=None):
    """Exit status, see above; errors are a line on stderr."""
    options = parse_arguments(arguments)
    return command.run(lambda: judge_file(options), on_error=CANNOT_JUDGE)


if __name__ == '__main__':
    sys.exit(main())
