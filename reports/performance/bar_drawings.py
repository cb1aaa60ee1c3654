"""Figures with a line for each entry: ratios with their intervals, and where a step's time goes."""

import collections

from reports.performance import entry_name
from reports.performance.drawing import Drawing, in_digits, place, rounded
from reports.performance.run_plots import PHASES, stack_phases
from reports.performance.series import program_words
from reports.plots.figure import COLORS

_COLORS = {"faster": COLORS[2], "slower": COLORS[1]}
_UNCLEAR = "#8c8c8c"
_MOST_BARS = 12


def of_ratios(ratios):
    """A Drawing a file, of what was measured in turns, the newest first."""
    by_source = collections.defaultdict(list)
    for ratio in ratios:
        if ratio.interval:
            by_source[ratio.ours.source.name].append(ratio)
    newest_first = sorted(by_source.values(), key=lambda rows: rows[0].ours.source.date, reverse=True)
    return [_of_ratios(rows[0].ours.source, rows) for rows in newest_first]


def _of_ratios(source, rows):
    keys = entry_name.differing_keys([row.ours.name for row in rows])
    labels = [f"{row.ours.name.words_of(keys)}: {program_words(row.theirs.program)}" for row in rows]
    words = {row.ours.name.without("replicas", "global_batch_size", "bytes").words for row in rows}
    counts = sorted({row.interval.count for row in rows})

    def draw(axes):
        for y, row in enumerate(rows):
            interval = row.interval
            color = _COLORS.get(interval.verdict, _UNCLEAR)
            if interval.low is not None:
                axes.plot([interval.low, interval.high], [y, y], color=color, lw=3, solid_capstyle="butt", alpha=0.55)
            axes.plot([interval.ratio], [y], "o", color=color, markersize=6)
            axes.annotate(
                in_digits(interval.ratio),
                (interval.ratio, y),
                (0, 6),
                textcoords="offset points",
                ha="center",
                fontsize=8.5,
            )
        axes.axvline(1, color="#1d2733", lw=1, ls="--")
        axes.set_xscale("log")
        axes.set_xlabel("times as fast as the peer (dashed: as fast)")
        axes.set_xticks(
            *_ratio_ticks(
                [
                    bound
                    for row in rows
                    for bound in (1, row.interval.ratio, row.interval.low, row.interval.high)
                    if bound
                ]
            )
        )
        axes.minorticks_off()
        axes.set_yticks(range(len(rows)), labels)
        axes.set_ylim(len(rows) - 0.5, -0.7)
        axes.grid(axis="y", visible=False)

    what = ", ".join(sorted(words))
    return Drawing(
        key=source.name,
        group=(place(source), what),
        title=f"Ours against peers: {what}",
        note=f"{source.name}. Point: geometric mean of the ratios of {_in_words(counts)} rounds, ours over the peer; "
        "bar: its 95 % interval.",
        draw=draw,
        height=1.1 + 0.36 * len(rows),
        data=[
            [label, *(value and rounded(value) for value in (row.interval.low, row.interval.ratio, row.interval.high))]
            for label, row in zip(labels, rows)
        ],
    )


def _ratio_ticks(bounds):
    """Places and words of ticks on a logarithmic axis of ratios: 1, 2, 5 and ten times that."""
    low, high = min(bounds), max(bounds)
    ticks = [digit * 10.0**power for power in range(-6, 7) for digit in (1, 2, 5)]
    inside = [tick for tick in ticks if low / 2.1 <= tick <= high * 2.1]
    return inside, [f"{tick:g}" for tick in inside]


def _in_words(counts):
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _with_dates(bars, keys):
    """What each bar is of, and when; of which file, where that alone tells bars apart."""
    words = [bar.series.name.words_of(keys) for bar in bars]
    dated = [f"{bar.series.source.date.date()}: {text}" for bar, text in zip(bars, words)]
    named = [f"{bar.series.source.name}: {text}" for bar, text in zip(bars, words)]
    return dated if len(set(dated)) == len(bars) else named


def of_breakdowns(bars):
    """Drawings of some bars each, files apart, the newest first."""
    newest_first = sorted(bars, key=lambda bar: bar.series.source.date, reverse=True)
    parts = [newest_first[i : i + _MOST_BARS] for i in range(0, len(bars), _MOST_BARS)]
    return [_of_breakdowns(str(number), part) for number, part in enumerate(parts, 1)]


def _of_breakdowns(key, bars):
    keys = entry_name.differing_keys([bar.series.name for bar in bars])
    labels = _with_dates(bars, keys)

    def draw(axes):
        stack_phases(axes, [bar.phases for bar in bars], labels, thickness=0.6)
        axes.set_ylim(len(bars) - 0.5, -0.5)
        axes.legend(ncols=len(PHASES), loc="lower center", bbox_to_anchor=(0.4, 1.0), frameon=False)

    return Drawing(
        key=key,
        group=(),
        title="Phases of a training step",
        draw=draw,
        height=1.2 + 0.36 * len(bars),
        note="Mean over the measured steps, and over the rounds of a file that has several.",
        data=[
            [label, {phase: rounded(value) for phase, value in bar.phases.items()}] for label, bar in zip(labels, bars)
        ],
    )
