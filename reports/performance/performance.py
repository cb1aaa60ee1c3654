"""Makes a performance report: one HTML page, readable offline, from a result file.

Example:
  ./bazelw run //reports:performance -- --result=scaling.json --html=scaling.html

A run that was killed leaves no page, but the epochs so far: make their page so.
"""

import argparse
import sys

from reports import command
from reports.performance import result_file, run_page


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--result", required=True, metavar="FILE",
                        help="result JSON to read; - for the standard input")
    parser.add_argument("--html", required=True, metavar="FILE",
                        help="page to write; - for the standard output")
    parser.add_argument("--name", help="what the page calls the result (its file's name)")
    return parser.parse_args(arguments)


def main(arguments=None):
    """Exit status 0, or 1 with a line on stderr that says what is wrong."""
    options = parse_arguments(arguments)

    def make():
        html = command.output(options.html)
        source = options.result if options.result == "-" else command.user_path(options.result)
        html.write(run_page.build_page(result_file.load(source), options.name or source))

    return command.run(make)


if __name__ == "__main__":
    sys.exit(main())
