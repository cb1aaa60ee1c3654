"""Makes the conformance matrix: cases by implementations, out of results of runs.

Examples:
  ./bazelw run //conformance:run -- --testee=tensorflow --json=tensorflow.json
  ./bazelw run //reports:conformance_matrix -- reference.json tensorflow.json \\
      --html=matrix.html --markdown=matrix.md --png=matrix.png

Without a file to write it prints the Markdown summary. The page needs nothing from
outside: it holds every case, its program, and what each implementation answered.
"""

import argparse
import collections
import sys

from command_line import version_option
from command_line.own_command import program_name
from command_line.user_paths import user_path
from reports import badge, case_status, command, conformance_result, expectation_text, page, program_text
from reports.catalogue import Catalogue
from reports.conformance_result import LEVELS
from reports.matrix_table import MatrixTable


def build_page(table, statements):
    """The HTML page. `statements`: those of a Catalogue."""
    return page.render(
        "conformance_matrix.html.j2",
        table=table,
        statements=by_case(statements),
        statuses=case_status.ALL.values(),
        kinds=case_status.KINDS,
        levels=LEVELS,
        program_lines=program_text.lines,
        value_text=program_text.value,
        describe=expectation_text.describe,
        condition=expectation_text.condition,
        summary=badge.summary,
        fills=badge.FILLS,
        case_address="#{}".format,
    )


def build_markdown(table):
    """The summary: counts by implementation and area, and every deviation."""
    return page.render(
        "conformance_matrix.md.j2",
        table=table,
        statuses=case_status.ALL.values(),
        levels=LEVELS,
        otherwise=[table.otherwise(index) for index in range(len(table.columns))],
    )


def by_case(statements):
    """Id of a case -> the statements that it holds."""
    found = collections.defaultdict(list)
    for statement in statements:
        for case in statement["cases"]:
            found[case].append(statement)
    return dict(found)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog=program_name(), description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    version_option.add(parser)
    parser.add_argument("results", nargs="+", metavar="RESULT", help="result JSON of a run; one a column")
    parser.add_argument("--html", help="page to write")
    parser.add_argument("--markdown", help="summary to write")
    parser.add_argument("--png", help="picture to write")
    parser.add_argument("--svg", help="badge to write, of one RESULT")
    options = parser.parse_args(arguments)
    if options.svg and len(options.results) > 1:
        parser.error(f"--svg: wanted one RESULT, got {len(options.results)}")
    return options


def make(options):
    """Writes the requested files. Errors: ReportError, OSError."""
    html, markdown_file, png, svg = map(command.output, (options.html, options.markdown, options.png, options.svg))
    results = [conformance_result.load(user_path(p)) for p in options.results]
    table = MatrixTable(results)
    markdown = build_markdown(table)
    if options.html:
        html.write(build_page(table, Catalogue(command.conformance_path()).statements))
    markdown_file.write(markdown)
    if options.png:
        png.write(badge.draw(table.columns))
    if options.svg:
        svg.write(badge.svg(table.columns[0]))
    written = [path for path in (options.html, options.markdown, options.png, options.svg) if path]
    print("".join(f"wrote {path}\n" for path in written) or markdown, end="")


def main(arguments=None):
    """Exit status 0, or 1 with a line on stderr that says what is wrong."""
    options = parse_arguments(arguments)
    return command.run(lambda: make(options))


if __name__ == "__main__":
    sys.exit(main())
