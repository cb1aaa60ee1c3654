"""The plots of verdicts and histories, each as an SVG text of its own.

Importing this loads Matplotlib, which takes a second and writes to the home folder.
"""

import math

from benchmarks.gate import ratios
from benchmarks.gate.report.wording import in_percent
from reports.plots import figure

# Of a verdict.
USED, UNUSED, BAND = "#1b3f6b", "#9aa5b1", "#2f6db5"
ZERO, DELTA, TWICE = "#566271", "#c07a00", "#b3263f"
QUIET, BUSY = "#2e8b57", "#a9b8c9"
# Of a history.
DOTS = {"fine": "#1b3f6b", "undecided": "#c07a00", "regression": "#b3263f"}
BOUNDS, LEVEL, CHANGE, NOTE = "#cfd8e3", "#2f6db5", "#7a5195", "#c07a00"
MOST_DATES = 6


def pair_ratios(test, values, counts):
    """Each recording's ratio of a Test, in order of time, with the interval as a band and the lines of delta.

    `values`: log ratios of all recordings; `counts`: whether each does. One that does not count and is far away is a
    triangle at the edge, so that the others keep their distances.
    """
    low, high = _range_of(test, values, counts)

    def draw(axes):
        _lines(axes, test.delta)
        axes.set_ylim(low, high)
        if test.interval:
            bounds = in_percent(test.interval.lower), in_percent(test.interval.upper)
            axes.axhspan(*bounds, color=BAND, alpha=0.18, linewidth=0)
            axes.axhline(in_percent(test.interval.estimate), color=BAND, linewidth=1.6)
        for number, (value, is_used) in enumerate(zip(values, counts), 1):
            percent = in_percent(value)
            axes.plot(
                number,
                min(max(percent, low), high),
                "v" if percent < low else "^" if percent > high else "o",
                clip_on=False,
                markersize=5.5,
                markeredgecolor=USED if is_used else UNUSED,
                markerfacecolor=USED if is_used else "white",
                zorder=3,
            )
        _recordings_axis(axes, len(values))
        axes.set_ylabel("candidate takes longer, %")

    return figure.svg(draw)


def _range_of(test, values, counts):
    """(lowest, highest) percent that the plot shows: all that counts, the interval, the lines, and room beside them."""
    shown = [in_percent(value) for value, is_used in zip(values, counts) if is_used]
    shown += [0, 200 * test.delta]
    if test.interval:
        shown += [in_percent(test.interval.lower), in_percent(test.interval.upper)]
    room = 0.5 * (max(shown) - min(shown)) or 1
    return min(shown) - room, max(shown) + room


def others_share(shares):
    """What others used of the cores in each recording, with the line up to which the machine counts as quiet.

    `shares`: 0 to 1; None where it is unknown.
    """

    def draw(axes):
        for number, share in enumerate(shares, 1):
            if share is None:
                axes.text(number, 2, "unknown", rotation=90, ha="center", va="bottom", fontsize=8.5)
            else:
                color = QUIET if share <= ratios.QUIET else BUSY
                axes.bar(number, 100 * share, width=0.6, color=color)
        _label(axes, 100 * ratios.QUIET, "quiet", QUIET)
        _recordings_axis(axes, len(shares))
        axes.set_ylim(0, 100)
        axes.set_ylabel("of the cores, %")

    return figure.svg(draw, width=10.6, height=2.8)


def _lines(axes, delta):
    for value, text, color in ((0, "0", ZERO), (100 * delta, "delta", DELTA), (200 * delta, "2 delta", TWICE)):
        _label(axes, value, text, color)


def _label(axes, value, text, color):
    """A line across, with its name to the right of the plot."""
    axes.axhline(value, color=color, linewidth=1.1, linestyle="-" if value == 0 else "--")
    axes.annotate(
        text,
        (1, value),
        (4, 0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        va="center",
        color=color,
        fontsize=8.5,
    )


def _recordings_axis(axes, count):
    axes.set_xlim(0.4, max(count, 1) + 0.6)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(axis="x", visible=False)
    axes.set_xlabel("recording, in order of time")


def history(series):
    """Each judged gate of a Series with its bounds, the levels between its change points, and people's notes."""

    def draw(axes):
        ratios = [in_percent(line.estimate) for line in series.points]
        axes.axhline(0, color=ZERO, linewidth=1.1)
        _gates(axes, series.points, ratios)
        _levels(axes, ratios, series.changes)
        low, high = min(0, *ratios), max(0, *ratios)
        room = 0.25 * (high - low) or 1
        axes.set_ylim(low - room, high + room)
        _notes(axes, series.points)
        _dates(axes, series.points)
        axes.set_ylabel("slower than the anchor, %")

    return figure.svg(draw, width=10.6, height=3)


def history_of_each(all_series):
    """(entry, metric, SVG) of each Series in which there is something to see."""
    return [(each.lines[0].entry, each.lines[0].metric, history(each)) for each in all_series if len(each.points) > 1]


def _gates(axes, points, ratios):
    axes.vlines(
        range(len(points)),
        [in_percent(line.lower) for line in points],
        [in_percent(line.upper) for line in points],
        color=BOUNDS,
        linewidth=1.5,
    )
    for outcome, color in DOTS.items():
        numbers = [number for number, line in enumerate(points) if line.outcome == outcome]
        axes.plot(numbers, [ratios[number] for number in numbers], "o", markersize=4.5, color=color, zorder=3)


def _levels(axes, ratios, changes):
    borders = [0, *(change.index for change in changes), len(ratios)]
    for first, end in zip(borders, borders[1:]):
        axes.plot([first - 0.4, end - 0.6], [sum(ratios[first:end]) / (end - first)] * 2, color=LEVEL, linewidth=1.6)
    for change in changes:
        axes.axvline(change.index - 0.5, color=CHANGE, linewidth=1.2, linestyle="--")
        axes.annotate(
            f"{in_percent(change.size):+.1f} %",
            (change.index - 0.5, 1),
            (4, -10),
            ha="left",
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            color=CHANGE,
            fontsize=9,
            bbox={"facecolor": "white", "linewidth": 0, "pad": 1},
        )


def _notes(axes, points):
    numbers = [number for number, line in enumerate(points) if line.note]
    axes.plot(numbers, [0.04] * len(numbers), "^", color=NOTE, markersize=7, transform=axes.get_xaxis_transform())


def _dates(axes, points):
    step = max(1, math.ceil(len(points) / MOST_DATES))
    shown = range(0, len(points), step)
    axes.set_xticks(shown, [points[number].date[:10] for number in shown])
    axes.set_xlim(-0.6, len(points) - 0.4)
    axes.grid(axis="x", visible=False)
