"""Figures with lines: over dates, over replicas, over bytes."""

import collections
import datetime
import itertools

import matplotlib.dates

from reports.performance import entry_name
from reports.performance.drawing import Drawing, place, rounded
from reports.performance.series import program_words
from reports.plots.figure import COLORS

_MOST_LINES = len(COLORS)
_IDEAL = "#566271"
_DAY = datetime.timedelta(days=1)


def of_trends(trends):
    """Drawings of what has one machine, one unit and one kind of entry, a few lines each."""
    groups = collections.defaultdict(list)
    for trend in trends:
        groups[(trend.machine, trend.unit, trend.name.path, trend.name.by_key.get("workload", ""))].append(trend)
    parts = [
        (*key[:2], " ".join(filter(None, key[2:])), group[i : i + _MOST_LINES])
        for key, group in groups.items()
        for i in range(0, len(group), _MOST_LINES)
    ]
    return [_of_trends(f"{number}", *part) for number, part in enumerate(parts, 1)]


def _of_trends(key, machine, unit, what, trends):
    keys = entry_name.differing_keys([trend.name for trend in trends])
    programs = len({trend.program for trend in trends}) > 1
    labels = [trend.name.words_of(keys) + (f": {program_words(trend.program)}" if programs else "") for trend in trends]

    def draw(axes):
        for trend, label, color in zip(trends, labels, COLORS):
            dates = [point.date for point in trend.points]
            axes.errorbar(
                dates,
                [point.spread[1] for point in trend.points],
                _bars([point.spread for point in trend.points]),
                color=color,
                lw=1.4,
                capsize=3,
                elinewidth=1,
                label=label,
            )
            for complete, fill in ((True, color), (False, "white")):
                some = [point for point in trend.points if point.complete == complete]
                axes.plot(
                    [point.date for point in some],
                    [point.spread[1] for point in some],
                    "o",
                    color=color,
                    markerfacecolor=fill,
                    markersize=5,
                )
        if len({point.date for trend in trends for point in trend.points}) == 1:
            axes.set_xlim(trends[0].points[0].date - _DAY, trends[0].points[0].date + _DAY)
        locator = matplotlib.dates.AutoDateLocator(maxticks=9)
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(matplotlib.dates.ConciseDateFormatter(locator))
        axes.set_ylabel(unit)
        _scale_for(axes, [point.spread[1] for trend in trends for point in trend.points])
        _legend_right(axes)

    return Drawing(
        key=key,
        group=(key,),
        title=f"{what}, {unit}: {machine}",
        draw=draw,
        note="Median; bars: quartiles; hollow: an interrupted run. Different dates were not measured together.",
        data=[
            [label, [[point.date.isoformat(), *map(rounded, point.spread)] for point in trend.points]]
            for label, trend in zip(labels, trends)
        ],
    )


def _scale_for(axes, values):
    """From 0, but logarithmic where a line from 0 would be on the axis."""
    if max(values) > 10 * min(values):
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    else:
        axes.set_ylim(bottom=0)


def _bars(spreads):
    """Distances of the quartiles from the medians, as errorbar takes them."""
    return [[middle - low for low, middle, _ in spreads], [high - middle for _, middle, high in spreads]]


def of_curves(curves):
    """A Drawing a file and work: rate and efficiency over replicas, a line a program; the newest first."""
    groups = collections.defaultdict(list)
    for curve in sorted(curves, key=lambda curve: curve.source.date, reverse=True):
        groups[(curve.source, curve.work.without("implementation"), curve.scaling)].append(curve)
    return [_of_curves(*key, group) for key, group in groups.items()]


def _of_curves(source, work, scaling, curves):
    counts = sorted({point.replicas for curve in curves for point in curve.points})
    shared, unit = curves[0].shares_cores, curves[0].unit

    def draw(rates, efficiencies):
        for curve, color in zip(curves, itertools.cycle(COLORS)):
            _draw_curve(rates, [(point.replicas, point.rate) for point in curve.points], color, curve.label)
            first = curve.points[0]
            if curve.workers == 1:
                _draw_ideal(rates, counts, first.rate[1] / first.replicas, first.replicas, shared, color)
            points = [(point.replicas, point.efficiency) for point in curve.points if point.efficiency]
            _draw_curve(efficiencies, points, color, curve.label)
        _draw_ideal(efficiencies, counts, 1, 1, shared, _IDEAL)
        for axes, label in ((rates, unit), (efficiencies, "efficiency")):
            axes.set_xticks(counts, [str(count) for count in counts])
            axes.set_xlim(counts[0] - 0.3, counts[-1] + 0.3)
            axes.set_xlabel("replicas")
            axes.set_ylabel(label)
            axes.set_ylim(bottom=0)
        _legend_right(efficiencies)

    ideal = (
        f"as many {unit} as one replica, which has all the cores"
        if shared
        else "in proportion to the replicas; dotted: as one, where replicas are parts of one GPU"
    )
    return Drawing(
        key=f"{source.name}-{scaling}",
        group=(place(source), work, scaling, len(curves) > 1),
        draw=draw,
        columns=2,
        height=_height(len(curves)),
        title=f"{scaling.capitalize()} scaling: {work.words}",
        note=f"{source.name}. Median; bars: quartiles; dashed, the ideal: {ideal}.",
        data=[
            [
                curve.label,
                [
                    [
                        point.replicas,
                        [*map(rounded, point.rate)],
                        point.efficiency and [*map(rounded, point.efficiency)],
                    ]
                    for point in curve.points
                ],
            ]
            for curve in curves
        ],
    )


def _draw_curve(axes, points, color, label):
    """A line through three points or more: between two, nothing says how it runs."""
    spreads = [spread for _, spread in points]
    axes.errorbar(
        [count for count, _ in points],
        [spread[1] for spread in spreads],
        _bars(spreads),
        color=color,
        marker="o",
        markersize=5,
        lw=1.4,
        ls="-" if len(points) > 2 else "",
        capsize=3,
        elinewidth=1,
        label=label,
    )


def _draw_ideal(axes, counts, of_one, first, shared, color):
    flat = [of_one * first] * len(counts)
    if shared:
        axes.plot(counts, flat, "--", color=color, lw=1, alpha=0.7)
        return
    axes.plot(counts, [of_one * count for count in counts], "--", color=color, lw=1, alpha=0.7)
    axes.plot(counts, flat, ":", color=color, lw=1, alpha=0.7)


def of_collectives(lines):
    """A Drawing a file and collective: GB/s over bytes, both axes logarithmic; the newest first."""
    groups = collections.defaultdict(list)
    for line in sorted(lines, key=lambda line: line.source.date, reverse=True):
        groups[(line.source, line.collective)].append(line)
    return [_of_collective(*key, group) for key, group in groups.items()]


def _of_collective(source, collective, lines):
    bounds = collections.defaultdict(list)
    for line in lines:
        if line.bound:
            bounds[rounded(line.bound)].append(line.what)

    def draw(axes):
        for line, color in zip(lines, itertools.cycle(COLORS)):
            points = [(count, tuple(value / 1e9 for value in spread)) for count, spread in line.points]
            _draw_curve(axes, points, color, line.what)
        for bound, whose in bounds.items():
            axes.axhline(
                bound / 1e9,
                color=_IDEAL,
                lw=1,
                ls="--",
                label="as fast as the fastest copy" + (f": {'; '.join(whose)}" if len(bounds) > 1 else ""),
            )
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        sizes = sorted({count for line in lines for count, _ in line.points})
        axes.set_xticks(sizes, [entry_name.bytes_in_words(size) for size in sizes])
        axes.minorticks_off()
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_xlabel("bytes of each replica")
        axes.set_ylabel("algbw, GB/s")
        _legend_right(axes)

    copy = " Dashed: where it moves memory as fast as the fastest copy of arrays beyond the caches." if bounds else ""
    return Drawing(
        key=source.name,
        group=(place(source), collective),
        title=f"{collective}: GB/s over bytes",
        draw=draw,
        note=f"{source.name}. Median; bars: quartiles.{copy}",
        height=_height(len(lines) + len(bounds)),
        data=[[line.what, [[count, *map(rounded, spread)] for count, spread in line.points]] for line in lines]
        + [["bound", *bounds]],
    )


def _height(lines):
    """Inches that a figure with so many lines in its legend takes."""
    return max(3.3, 0.6 + 0.2 * lines)


def _legend_right(axes):
    axes.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
