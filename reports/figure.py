"""Draws the figures of reports: SVG that goes into a page or a file of its own."""

import io

import matplotlib
from matplotlib.figure import Figure

# Lines and bars in this order; all can be told apart on white.
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


def svg(draw, width=5.2, height=3.3, columns=1, title=None, description=None):
    """The figure that draw(axes, ...) makes, as SVG without XML prologue, in STYLE, on white.

    draw gets as many axes as there are columns. `width` and `height` in inches;
    `description`: what is drawn, for programs. The same drawing gives the same text, date
    and random names left out.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(*figure.subplots(1, columns, squeeze=False)[0])
        figure.suptitle(title, fontsize=12, fontweight="bold", x=0.01, ha="left")
        out = io.StringIO()
        figure.savefig(
            out, format="svg", metadata={"Date": None, "Description": description}
        )
    text = out.getvalue()
    return text[text.index("<svg") :]
