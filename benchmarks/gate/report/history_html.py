"""A history as an HTML page that needs nothing from outside."""
import os

from benchmarks.gate.report import history_overview, history_plot, wording
from reports import page

TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'templates', 'gate_history.html.j2')


def render(name, lines, notes=()):
    """As history_text.render. The same history gives the same bytes."""
    return page.render(
        TEMPLATE,
        overview=history_overview.of(name, lines),
        notes=notes,
        plots=plots,
        wording=wording,
        rule=history_overview.RULE,
    )


def plots(all_series):
    """(entry, metric, SVG) of each Series in which there is something to see."""
    return [(each.lines[0].entry, each.lines[0].metric, history_plot.draw(each))
            for each in all_series if len(each.points) > 1]
