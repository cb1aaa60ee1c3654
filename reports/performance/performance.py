"""Makes performance reports, readable offline: of many results, or of one run.

Examples:
  ./bazelw run //reports:performance -- benchmarks/results --html=performance.html
      all results of a folder: ratios to peers, trends, scaling, phases, collectives
  ./bazelw run //reports:performance -- old.json new.json peers.json --html=all.html --markdown=all.md --json=all.json
  ./bazelw run //reports:performance -- peers.json --pictures=docs/pictures
  ./bazelw run //reports:performance -- --result=scaling.json --html=scaling.html
      one run of //benchmarks:scaling: also loss, accuracy, every block

FILES are results of //benchmarks:scaling, of //benchmarks/micro (--benchmark_out=FILE) and of
benchmarks/peers/compare.py; a folder stands for all .json files in it. A run that was killed leaves no page, but the
epochs so far: make their page by --result.
Exit status: 0, 1 for a file that cannot be shown, 2 for a wrong command line.
"""

import argparse
import sys

from command_line import version_option
from command_line.user_paths import user_path
from reports import command
from reports.performance import pictures, report, result_file, result_set, run_page


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="performance", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    version_option.add(parser)
    add = parser.add_argument
    add("files", nargs="*", metavar="FILES", help="results, and folders of them, for a report of all")
    add("--result", metavar="FILE", help="one result for a page of its own; - for the standard input")
    add("--html", metavar="FILE", help="page to write; - for the standard output")
    add("--markdown", metavar="FILE", help="of FILES: the tables as Markdown; - for the standard output")
    add("--json", metavar="FILE", help="of FILES: all that was found (docs/formats.md); - for the standard output")
    add("--pictures", metavar="FOLDER", help="of FILES: the figures as SVG files, into a folder that is there")
    add("--name", help="with --result: what the page calls it (its file's name)")
    options = parser.parse_args(arguments)
    _check(parser, options)
    return options


def _check(parser, options):
    if bool(options.files) == bool(options.result):
        parser.error("give result files or folders, or one by --result")
    if options.result and not options.html:
        parser.error("--result requires --html=PAGE")
    if options.result and (options.markdown or options.json or options.pictures):
        parser.error("--markdown, --json and --pictures are for FILES, not for --result")
    if options.files and not (options.html or options.markdown or options.json or options.pictures):
        parser.error("give --html, --markdown, --json or --pictures: where to write")
    if options.files and options.name:
        parser.error("--name is for --result")


def make_run_page(options):
    html = command.output(options.html)
    source = options.result if options.result == "-" else user_path(options.result)
    html.write(run_page.build_page(result_file.load(source), options.name or source))


def make_report(options):
    """Writes what was asked for, once all of it is made."""
    kinds = ((options.html, report.as_html), (options.markdown, report.as_markdown), (options.json, report.as_json))
    outputs = [(command.output(path), make) for path, make in kinds if path]
    built = report.build(result_set.load([user_path(file) for file in options.files]))
    texts = [(output, make(built)) for output, make in outputs]
    made = pictures.make(report.sections(built)) if options.pictures else {}
    for output, text in texts:
        output.write(text)
    if made:
        pictures.write(made, user_path(options.pictures))
    for name, note in built.results.notes:
        print(f"{name}: {note}", file=sys.stderr)


def main(arguments=None):
    """Exit status 0, or 1 with a line on stderr that says what is wrong."""
    options = parse_arguments(arguments)
    return command.run(lambda: make_run_page(options) if options.result else make_report(options))


if __name__ == "__main__":
    sys.exit(main())
