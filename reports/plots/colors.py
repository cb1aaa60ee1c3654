"""The colors of plots on a dark page: each color has a variable in CSS, which a dark page sets."""

import re

INK = "#1d2733"
# What is drawn on light pages -> what replaces it on dark ones. Any other color stays.
DARK = {
    "#ffffff": "#19212b",
    INK: "#e4e9f0",
    "#e6e9ee": "#2e3946",  # the grid
    "#566271": "#a3afbd",
    "#1b3f6b": "#9cc7ff",
    "#d1495b": "#ff7f8e",
    "#2e8b57": "#5fc58c",
    "#7a5195": "#c79fe3",
    "#2f6db5": "#4a8ddb",
    "#b3263f": "#ff7f8e",
    "#c07a00": "#edae49",
    "#cfd8e3": "#4d5a69",
}
_COLOR = re.compile(r"(?<=fill: )#[0-9a-f]{6}|(?<=stroke: )#[0-9a-f]{6}")


def variables():
    """[(variable, its value on dark pages)]."""
    return [(_variable(color), dark) for color, dark in DARK.items()]


def themed(svg):
    """The same SVG, for a page that sets the variables: without them it looks as before."""
    return _COLOR.sub(lambda color: _use(color.group()), svg)


def _use(color):
    return f"var({_variable(color)}, {color})" if color in DARK else color


def _variable(color):
    return "--plot-" + color.removeprefix("#")
