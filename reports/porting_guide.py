"""Makes a porting guide between two implementations, out of their results.

Example:
  ./bazelw run //reports:porting_guide -- --from=tensorflow.json --to=pytorch_ddp.json \\
      --markdown=porting.md --html=porting.html

Both results come from `//conformance:run --json`, over the same cases. What the
implementations declare of their conventions says what to change in a training
program, and why; the cases show it. Without a file to write it prints Markdown.
"""

import argparse
import sys

from command_line import version_option
from command_line.user_paths import user_path
from reports import command, conformance_result, json_file, page
from reports.dialect_difference import DialectDifference


def build(template, difference):
    """The guide by one of the templates porting_guide.*.j2."""
    return page.render(template, difference=difference)


def load_conventions():
    document = json_file.load(
        command.conformance_path("conventions.json"), command.conformance_path("schemas", "conventions.schema.json")
    )
    return document["conventions"]


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    version_option.add(parser)
    parser.add_argument(
        "--from",
        dest="source",
        metavar="RESULT",
        required=True,
        help="result of the implementation the program is written for",
    )
    parser.add_argument("--to", dest="target", metavar="RESULT", required=True, help="result of the one it moves to")
    parser.add_argument("--html", metavar="FILE", help="page to write")
    parser.add_argument("--markdown", metavar="FILE", help="text to write")
    return parser.parse_args(arguments)


def make(options):
    """Writes the requested files. Errors: ReportError, OSError."""
    html, markdown_file = map(command.output, (options.html, options.markdown))
    difference = DialectDifference(
        conformance_result.load(user_path(options.source)),
        conformance_result.load(user_path(options.target)),
        load_conventions(),
    )
    if options.html:
        html.write(build("porting_guide.html.j2", difference))
    if options.markdown or not options.html:
        markdown = build("porting_guide.md.j2", difference)
        markdown_file.write(markdown)
    if not (options.html or options.markdown):
        print(markdown, end="")


def main(arguments=None):
    """Exit status 0, or 1 with a line on stderr that says what is wrong."""
    options = parse_arguments(arguments)
    return command.run(lambda: make(options))


if __name__ == "__main__":
    sys.exit(main())
