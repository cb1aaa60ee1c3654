"""Draws the figures of reports: SVG that goes into a page or a file of its own."""

import io
import re

import matplotlib
from matplotlib.figure import Figure

from reports.plots import colors

# Lines and bars in this order; all are distinct on white.
COLORS = ("#1b3f6b", "#d1495b", "#2e8b57", "#edae49", "#7a5195", "#2f6db5")
STYLE = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e9ee",
    "svg.fonttype": "none",
    "svg.hashsalt": "lockstep",  # the same data gives the same file
}
# Of a figure within a page: words and axes take a color that dark pages replace.
IN_PAGE = dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), colors.INK)
# Of a figure that stands by itself.
MARGINS = {"figure.constrained_layout.w_pad": 0.14, "figure.constrained_layout.h_pad": 0.14}


def svg(draw, width=5.2, height=3.3, columns=1):
    """The figure that draw(axes, ...) makes, as SVG without XML prologue, in STYLE, for a light or dark page.

    draw gets as many axes as there are columns. `width` and `height` in inches. The same
    drawing gives the same text, date and random names left out.
    """
    with matplotlib.rc_context({**STYLE, **IN_PAGE}):
        return colors.themed(_save(_draw(draw, width, height, columns)))


def picture(draw, width, height, title, caption, description, columns=1):
    """As svg(), with margins, a title and a caption below it: for a file of its own.

    `description`: what is drawn, for programs; it is not seen.
    """
    with matplotlib.rc_context({**STYLE, **MARGINS}):
        figure = _draw(draw, width, height, columns)
        figure.suptitle(title, fontsize=12, fontweight="bold", x=0.012, ha="left")
        figure.supxlabel(caption, fontsize=8.5, color="#566271", x=0.012, ha="left")
        return _save(figure, description)


def _draw(draw, width, height, columns):
    figure = Figure(figsize=(width, height), layout="constrained")
    draw(*figure.subplots(1, columns, squeeze=False)[0])
    return figure


def _save(figure, description=None):
    out = io.StringIO()
    metadata = {"Date": None, "Description": description}
    figure.savefig(out, format="svg", metadata=metadata)
    text = re.sub(" +\n", "\n", out.getvalue())
    return text[text.index("<svg") :]
