"""The files that a gate's verdict goes to, besides the terminal."""
import sys

from benchmarks.gate.report import report_markdown, report_text, verdict_json
from reports import command


def add_arguments(parser):
    """The options that `ReportFiles` reads."""
    reports = parser.add_argument_group('reports', 'FILE - is the standard output, in the place of the text.')
    reports.add_argument('--json', metavar='FILE', help='write the verdict for programs (docs/formats.md)')
    reports.add_argument('--markdown', metavar='FILE', help='write it as Markdown, for a comment on a pull request')
    reports.add_argument('--html', metavar='FILE', help='write it as a page with plots')


class ReportFiles:
    """Where the reports go, looked at before the work begins.

    `options`: with the arguments of `add_arguments`. Errors: OSError for a path that cannot be written.
    """

    def __init__(self, options):
        wanted = (options.json, options.markdown, options.html)
        self._prints = '-' not in wanted
        self._json, self._markdown, self._html = map(command.output, wanted)
        self._wants_page = options.html is not None

    def write_all(self, verdict, taken, calibration=None):
        """Prints the verdict and writes what was asked for. Errors: OSError."""
        if self._prints:
            sys.stdout.write(report_text.render(verdict, taken))
        self._json.write(verdict_json.to_text(verdict, taken, calibration))
        self._markdown.write(report_markdown.render(verdict, taken))
        if self._wants_page:
            # Not above: Matplotlib takes a second to load, and writes to the home folder.
            from benchmarks.gate.report import report_html
            self._html.write(report_html.render(verdict, taken))
