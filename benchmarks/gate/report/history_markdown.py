"""A history as Markdown."""
import os

from benchmarks.gate.report import history_overview
from reports import page

TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'templates', 'gate_history.md.j2')


def render(name, lines, notes=()):
    """As history_text.render."""
    return page.render(TEMPLATE, overview=history_overview.of(name, lines), notes=notes)
