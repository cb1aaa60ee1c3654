"""A figure before it is drawn: for a page, which has its title beside it, or as a picture by itself."""

import dataclasses
import json
from collections.abc import Callable

from reports.plots import figure


@dataclasses.dataclass(frozen=True)
class Drawing:
    """`key`: what it is called among those of its section; `draw`: takes as many axes as there are `columns`.

    `group`: equal for drawings of one thing at different dates, of which the newest is shown first. `width` and
    `height` in inches. `data`: what is drawn, as values that JSON has.
    """

    key: str
    group: tuple
    title: str
    note: str
    draw: Callable
    data: list
    width: float = 10.6
    height: float = 3.3
    columns: int = 1

    def svg(self):
        """For a page, beside its title."""
        return figure.svg(self.draw, self.width, self.height, self.columns)

    def picture(self):
        """As a file of its own: with title and note in it, and its data as the description."""
        data = json.dumps(self.data, separators=(",", ":"))
        return figure.picture(self.draw, self.width, self.height + 0.8, self.title, self.note, data, self.columns)


@dataclasses.dataclass(frozen=True)
class Section:
    """`name`: of its pictures' files; `drawings`: the newest first; `empty`: what to say where there are none."""

    name: str
    title: str
    drawings: list
    empty: str

    @property
    def shown(self):
        """[(the newest Drawing of a group, the older ones)]."""
        groups = {}
        for drawing in self.drawings:
            groups.setdefault(drawing.group, []).append(drawing)
        return [(group[0], group[1:]) for group in groups.values()]


def place(source):
    """What is equal in all files of a group of drawings: the machine, or the file itself where it is unknown."""
    return source.machine.key or source.name


def rounded(value):
    """Six digits of a figure: what is seen, and the same on every machine."""
    return float(f"{value:.6g}")


def in_digits(ratio):
    """A ratio for people, with three digits: 0.712, 5.00, 14.5, 136."""
    if ratio >= 100:
        return f"{ratio:,.0f}"
    return f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}" if ratio >= 1 else f"{ratio:.3f}"
