"""Shows which documented statements have conformance cases, and which have none.

Examples:
  ./bazelw run //reports:coverage                    # a table on the terminal
  ./bazelw run //reports:coverage -- --html=coverage.html --markdown=coverage.md
"""

import argparse
import json
import sys

from command_line import version_option
from command_line.user_paths import user_path
from reports import command, page
from reports.catalogue import Catalogue
from reports.coverage_count import LEVELS, STATES, CoverageCount


def build(template, count):
    """The report by one of the templates coverage.*.j2."""
    return page.render(template, count=count, catalogue=count.catalogue, states=STATES, levels=LEVELS, place=place)


def place(source, anchor):
    """The address of a place in a document: of the document where it has none."""
    # Notebooks are cited by cells, which their pages do not name; the sections of
    # other documents are fragments, in lower case.
    return f"{source['url']}#{anchor}" if anchor == anchor.lower() else source["url"]


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    version_option.add(parser)
    parser.add_argument("--conformance", metavar="FOLDER", help="folder of sources, statements and cases; the built-in")
    for name in ("html", "markdown", "json"):
        parser.add_argument(f"--{name}", metavar="FILE", help="file to write")
    return parser.parse_args(arguments)


def make(options):
    """Prints the table and writes the requested files. Errors: ReportError, OSError."""
    html, markdown, as_json = map(command.output, (options.html, options.markdown, options.json))
    folder = user_path(options.conformance) if options.conformance else command.conformance_path()
    count = CoverageCount(Catalogue(folder))
    print(build("coverage.txt.j2", count), end="")
    html.write(build("coverage.html.j2", count))
    markdown.write(build("coverage.md.j2", count))
    as_json.write(json.dumps(count.to_json(), indent=2) + "\n")


def main(arguments=None):
    """Exit status 0, or 1 with a line on stderr that says what is wrong."""
    options = parse_arguments(arguments)
    return command.run(lambda: make(options))


if __name__ == "__main__":
    sys.exit(main())
