"""What there is to tell of a history: for each anchor the latest ratios, where they changed, and people's notes."""
import dataclasses

from benchmarks.gate.history import change_points, series
from benchmarks.gate.report import evidence, wording

# A gate against the parent commit has a new anchor every time; of many the latest are of interest.
MOST_ANCHORS = 20
RULE = (f'Behind each gate the last {change_points.WINDOW} are split where both sides differ most; a difference of '
        f'more than {100 * change_points.SMALLEST:g} % with |t| over {change_points.CLEAR_T:g} is a change of level.')


@dataclasses.dataclass(frozen=True)
class Section:
    """One anchor on one machine. `rows`: (entry, metric, ratio, verdict, candidate and date, gates) of each Series.
    `changes`: (entry, metric, size, t, place). `notes`: (date, candidate, note). All cells are texts."""
    anchor: str
    machine: str
    series: tuple
    rows: tuple
    changes: tuple
    notes: tuple


@dataclasses.dataclass(frozen=True)
class Overview:
    """`title`: what the history holds. `left_out`: older anchors without a section."""
    title: str
    sections: tuple
    left_out: int


def of(name, lines):
    """The Overview of Lines sorted by date, the anchor of the latest gate first. `name`: of the history."""
    groups = {}
    for each in series.of(lines):
        groups.setdefault(series.place(each.lines[0]), []).append(each)
    latest_first = sorted(groups.values(), key=lambda group: max(each.lines[-1].date for each in group), reverse=True)
    return Overview(_title(name, lines), tuple(_section(group) for group in latest_first[:MOST_ANCHORS]),
                    max(0, len(latest_first) - MOST_ANCHORS))


def change(found, points):
    """(size, t, place) of a ChangePoint among judged Lines, in words."""
    before, behind = points[found.index - 1], points[found.index]
    return (wording.size(found.size, found.lower, found.upper), f't {found.t:.1f}',
            f'between {candidate(before)} and {candidate(behind)}')


def candidate(line):
    """'b2 of 2026-11-23'."""
    return f'{evidence.name(line.candidate)} of {line.date[:10]}'


def _title(name, lines):
    if not lines:
        return f'{name}: no gates'
    gates = len({line.gate for line in lines})
    return f'{name}: {gates} gate{"s" * (gates != 1)}, {lines[0].date[:10]} to {lines[-1].date[:10]}'


def _section(group):
    first = group[0].lines[0]
    return Section(evidence.side(first.baseline), evidence.machine(first.machine), tuple(group),
                   tuple(_row(each) for each in group),
                   tuple((each.lines[0].entry, each.lines[0].metric, *change(found, each.points))
                         for each in group for found in each.changes),
                   tuple(_notes(group)))


def _row(each):
    last = (each.points or each.lines)[-1]
    told, all_ = len(each.points), len(each.lines)
    gates = f'{all_} gate{"s" * (all_ != 1)}' + (f', {told} judged' if told < all_ else '')
    ratio = wording.size(last.estimate, last.lower, last.upper) if each.points else ''
    return last.entry, last.metric, ratio, last.outcome.upper(), candidate(last), gates


def _notes(group):
    """Each gate's note once, by date."""
    found = {line.gate: (line.date[:10], evidence.name(line.candidate), line.note)
             for each in group for line in each.lines if line.note}
    return sorted(found.values())
