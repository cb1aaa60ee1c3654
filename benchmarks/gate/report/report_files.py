"""The files that a gate's verdict goes to, besides the terminal."""
import argparse
import datetime
import sys

from benchmarks.gate.history import history
from benchmarks.gate.report import report_markdown, report_text, verdict_json
from reports import command


def add_arguments(parser):
    """The options that `ReportFiles` and history_files read."""
    reports = parser.add_argument_group('reports', 'FILE - is the standard output, in the place of the text.')
    reports.add_argument('--json', metavar='FILE', help='write the verdict for programs (docs/formats.md)')
    reports.add_argument('--markdown', metavar='FILE', help='write it as Markdown, for a comment on a pull request')
    reports.add_argument('--html', metavar='FILE', help='write it as a page with plots')
    reports.add_argument('--history', metavar='FILE', type=_regular, help='add it to the history of gates; without a '
                         'gate: tell what that holds and where it changed')
    reports.add_argument('--note', metavar='TEXT', default='', help='what the history is to say of this gate, as why a '
                         'slowdown is accepted')


def check_arguments(parser, options, is_gate):
    """Ends the program with status 2 for options that do not fit together. `is_gate`: there will be a verdict."""
    if options.note and not (options.history and is_gate):
        parser.error('--note is a note in a --history, on a gate')
    if options.json is not None and not is_gate:
        parser.error('--json writes a verdict, and a history alone has none')


class ReportFiles:
    """Where the reports go, looked at before the work begins.

    `options`: with the arguments of `add_arguments`. Errors: OSError for a path that cannot be written.
    """

    def __init__(self, options):
        wanted = (options.json, options.markdown, options.html)
        self._prints = '-' not in wanted
        self._json, self._markdown, self._html = map(command.output, wanted)
        self._wants_page = options.html is not None
        self._note = options.note
        self._history = options.history and command.user_path(options.history)
        if self._history:
            history.check_appendable(self._history)

    def write_all(self, verdict, taken, calibration=None):
        """Prints the verdict and writes what was asked for. Errors: OSError; GateError for an unreadable history."""
        if self._prints:
            sys.stdout.write(report_text.render(verdict, taken, calibration))
        self._json.write(verdict_json.to_text(verdict, taken, calibration))
        self._markdown.write(report_markdown.render(verdict, taken, calibration))
        lines = self._remember(verdict, taken) if self._history else ()
        if self._wants_page:
            # Not above: Matplotlib takes a second to load, and writes to the home folder.
            from benchmarks.gate.report import report_html
            self._html.write(report_html.render(verdict, taken, lines, calibration))

    def _remember(self, verdict, taken):
        """Adds the gate to the history; what that holds of this machine."""
        history.append(self._history, verdict, taken, datetime.datetime.now(datetime.timezone.utc), self._note)
        lines, notes = history.read(self._history, taken.machine)
        for note in notes:
            print(note, file=sys.stderr)
        return lines


def _regular(path):
    if path in ('', '-'):
        raise argparse.ArgumentTypeError(f'{path!r}; wanted the name of a file')
    return path
