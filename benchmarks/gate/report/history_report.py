"""What a history says: for each anchor the latest ratios, where they changed, and people's notes; as text, Markdown and
an HTML page that needs nothing from outside. The same history gives the same bytes."""

import dataclasses
import os
import sys

from benchmarks.gate import change_points
from benchmarks.gate import history as histories
from benchmarks.gate.report import wording
from command_line.user_paths import user_path
from reports import command, page

TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")

# A gate against the parent commit has a new anchor every time; of many the latest are of interest.
MOST_ANCHORS = 20
RULE = (
    f"After each gate the last {change_points.WINDOW} are split where both sides differ most; a difference of "
    f"more than {100 * change_points.SMALLEST:g} % with |t| over {change_points.CLEAR_T:g} is a change of level."
)


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


def overview(name, lines):
    """The Overview of Lines sorted by date, the anchor of the latest gate first. `name`: of the history."""
    groups = {}
    for each in change_points.series_of(lines):
        groups.setdefault(change_points.place(each.lines[0]), []).append(each)
    latest_first = sorted(groups.values(), key=lambda group: max(each.lines[-1].date for each in group), reverse=True)
    return Overview(
        _title(name, lines),
        tuple(_section(group) for group in latest_first[:MOST_ANCHORS]),
        max(0, len(latest_first) - MOST_ANCHORS),
    )


def change(found, points):
    """(size, t, place) of a ChangePoint among judged Lines, in words."""
    before, after = points[found.index - 1], points[found.index]
    return (
        wording.size(found.size, found.lower, found.upper),
        f"t {found.t:.1f}",
        f"between {candidate(before)} and {candidate(after)}",
    )


def candidate(line):
    """'b2 of 2026-11-23'."""
    return f"{wording.name(line.candidate)} of {line.date[:10]}"


def _title(name, lines):
    if not lines:
        return f"{name}: no gates"
    gates = len({line.gate for line in lines})
    return f"{name}: {gates} gate{'s' * (gates != 1)}, {lines[0].date[:10]} to {lines[-1].date[:10]}"


def _section(group):
    first = group[0].lines[0]
    return Section(
        wording.side(first.baseline),
        wording.machine(first.machine),
        tuple(group),
        tuple(_row(each) for each in group),
        tuple(
            (each.lines[0].entry, each.lines[0].metric, *change(found, each.points))
            for each in group
            for found in each.changes
        ),
        tuple(_notes(group)),
    )


def _row(each):
    last = (each.points or each.lines)[-1]
    judged, all_ = len(each.points), len(each.lines)
    gates = f"{all_} gate{'s' * (all_ != 1)}" + (f", {judged} judged" if judged < all_ else "")
    ratio = wording.size(last.estimate, last.lower, last.upper) if each.points else ""
    return last.entry, last.metric, ratio, last.outcome.upper(), candidate(last), gates


def _notes(group):
    """Each gate's note once, by date."""
    found = {
        line.gate: (line.date[:10], wording.name(line.candidate), line.note)
        for each in group
        for line in each.lines
        if line.note
    }
    return sorted(found.values())


def write(options):
    """Prints the history of the options (gate.parse), and writes the requested files.

    Errors: GateError for a history that cannot be read, OSError for a path that cannot be written.
    """
    markdown, html = map(command.output, (options.markdown, options.html))
    name = os.path.basename(options.history)
    lines, notes = histories.read(user_path(options.history))
    if "-" not in (options.markdown, options.html):
        sys.stdout.write(to_text(name, lines, notes))
    markdown.write(to_markdown(name, lines, notes))
    if options.html is not None:
        html.write(to_html(name, lines, notes))


def to_text(name, lines, notes=()):
    """The text of Lines sorted by date, with a line end after each line. `name`: of the history; `notes`: what was
    skipped on reading."""
    found = overview(name, lines)
    text = [found.title]
    for section in found.sections:
        text += ["", f"against {section.anchor}", f"  on {section.machine}", *_indented(section.rows)]
        if section.changes:
            text += ["  changes of the level", *_indented(section.changes, 4)]
        if section.notes:
            text += ["  notes", *_indented(section.notes, 4)]
    if found.left_out:
        text += ["", f"{found.left_out} older anchors left out"]
    return "\n".join([*text, *notes]) + "\n"


def _indented(rows, width=2):
    return [" " * width + line for line in wording.aligned(rows)]


def to_markdown(name, lines, notes=()):
    """As to_text."""
    return page.render(os.path.join(TEMPLATES, "gate_history.md.j2"), overview=overview(name, lines), notes=notes)


def to_html(name, lines, notes=()):
    """As to_text."""
    from benchmarks.gate.report import plots  # where it is needed: it loads Matplotlib

    return page.render(
        os.path.join(TEMPLATES, "gate_history.html.j2"),
        overview=overview(name, lines),
        notes=notes,
        plots=plots.history_of_each,
        wording=wording,
        rule=RULE,
    )
