"""The files that the report of a history goes to, besides the terminal."""
import os
import sys

from benchmarks.gate.history import history
from benchmarks.gate.report import history_markdown, history_text
from reports import command


def write(options):
    """Prints what the history of the options (report_files.add_arguments) holds, and writes what else was asked for.

    Errors: GateError for a history that cannot be read, OSError for a path that cannot be written.
    """
    markdown, html = map(command.output, (options.markdown, options.html))
    name = os.path.basename(options.history)
    lines, notes = history.read(command.user_path(options.history))
    if '-' not in (options.markdown, options.html):
        sys.stdout.write(history_text.render(name, lines, notes))
    markdown.write(history_markdown.render(name, lines, notes))
    if options.html is not None:
        # Not above: Matplotlib takes a second to load, and writes to the home folder.
        from benchmarks.gate.report import history_html
        html.write(history_html.render(name, lines, notes))
