"""The plot of a series of gates against one anchor, as an SVG text."""
import math

from benchmarks.gate.report.wording import in_percent
from reports import figure

DOTS = {'fine': '#1b3f6b', 'undecided': '#c07a00', 'regression': '#b3263f'}
BOUNDS = '#cfd8e3'
LEVEL, CHANGE, ZERO, NOTE = '#2f6db5', '#7a5195', '#566271', '#c07a00'
MOST_DATES = 6


def draw(series):
    """Each judged gate of a Series with its bounds, the levels between its change points, and people's notes."""
    def plot(axes):
        ratios = [in_percent(line.estimate) for line in series.points]
        axes.axhline(0, color=ZERO, linewidth=1.1)
        _gates(axes, series.points, ratios)
        _levels(axes, ratios, series.changes)
        low, high = min(0, *ratios), max(0, *ratios)
        room = 0.25 * (high - low) or 1
        axes.set_ylim(low - room, high + room)
        _notes(axes, series.points)
        _dates(axes, series.points)
        axes.set_ylabel('slower than the anchor, %')
    return figure.svg(plot, width=10.6, height=3)


def _gates(axes, points, ratios):
    axes.vlines(range(len(points)), [in_percent(line.lower) for line in points],
                [in_percent(line.upper) for line in points], color=BOUNDS, linewidth=1.5)
    for outcome, color in DOTS.items():
        numbers = [number for number, line in enumerate(points) if line.outcome == outcome]
        axes.plot(numbers, [ratios[number] for number in numbers], 'o', markersize=4.5, color=color, zorder=3)


def _levels(axes, ratios, changes):
    borders = [0, *(change.index for change in changes), len(ratios)]
    for first, end in zip(borders, borders[1:]):
        axes.plot([first - 0.4, end - 0.6], [sum(ratios[first:end]) / (end - first)] * 2, color=LEVEL, linewidth=1.6)
    for change in changes:
        axes.axvline(change.index - 0.5, color=CHANGE, linewidth=1.2, linestyle='--')
        axes.annotate(f'{in_percent(change.size):+.1f} %', (change.index - 0.5, 1), (4, -10), ha='left',
                      xycoords=('data', 'axes fraction'), textcoords='offset points', color=CHANGE, fontsize=9,
                      bbox={'facecolor': 'white', 'linewidth': 0, 'pad': 1})


def _notes(axes, points):
    numbers = [number for number, line in enumerate(points) if line.note]
    axes.plot(numbers, [0.04] * len(numbers), '^', color=NOTE, markersize=7, transform=axes.get_xaxis_transform())


def _dates(axes, points):
    step = max(1, math.ceil(len(points) / MOST_DATES))
    shown = range(0, len(points), step)
    axes.set_xticks(shown, [points[number].date[:10] for number in shown])
    axes.set_xlim(-0.6, len(points) - 0.4)
    axes.grid(axis='x', visible=False)
