"""Bandwidth of collectives over the bytes they reduce, and what copying on the same machine would allow."""

import collections
import dataclasses
import statistics

from reports.performance.series import program_words


@dataclasses.dataclass(frozen=True)
class Line:
    """`what`: algorithm or peer, replicas; `points`: (bytes, (lower quartile, median, upper quartile) of algbw in B/s).

    `bound`: algbw in B/s at which the collective would move memory as fast as the fastest copy of its file; None where
    the file has no copy, or the entries do not say what they move.
    """

    source: object
    collective: str
    what: str
    program: str
    points: tuple
    bound: float | None


def find(series):
    """The [Line] of every collective with a size, in the files' order."""
    copies = _fastest_copies(series)
    groups = collections.defaultdict(list)
    for one in series:
        if one.unit.field == "algbw" and one.name.number("bytes"):
            groups[(one.source.name, one.program, one.name.without("bytes"))].append(one)
    return [_line(group, copies.get(source)) for (source, _, _), group in groups.items()]


def _fastest_copies(series):
    """Source's name -> bytes a second that its fastest copy moves, reads and writes counted."""
    copies = {}
    for one in series:
        if one.name.path == "Copy" and one.unit.field == "moved_bytes_per_second":
            copies[one.source.name] = max(copies.get(one.source.name, 0), one.spread()[1])
    return copies


def _line(group, copied):
    group = sorted(group, key=lambda one: one.name.number("bytes"))
    first = group[0]
    words = first.name.words_of({"algorithm", "dtype", "redop", "replicas"})
    moved = [
        entry["moved_bytes_per_second"] / entry["algbw"]
        for one in group
        for entry in one.entries
        if entry.get("moved_bytes_per_second")
    ]
    return Line(
        source=first.source,
        collective=first.name.path,
        program=first.program,
        what=words if first.is_ours else f"{program_words(first.program)}, {words}",
        points=tuple((one.name.number("bytes"), one.spread()) for one in group),
        bound=copied / statistics.median(moved) if copied and moved else None,
    )
