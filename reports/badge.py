"""Small pictures for a README: in how many cases implementations keep the promise, N replicas train as one."""

import io

from reports import page

WIDTH = 9
ROW_HEIGHT = 0.34
BAR_LEFT, BAR_RIGHT = 0.23, 0.5
# Fills that differ in print and to the colour-blind too: light to dark.
FILLS = {"kept": "#2e8b57", "departed": "#d9a02b", "broken": "#b3263f", "unsupported": "#c9d1da"}

# Behind white words: by the worst that there is.
_GROUNDS = {"kept": "#1f7a4d", "departed": "#8a6100", "broken": "#a3213a"}
# Of a badge in SVG: the width of a letter, and what is left and right of the words.
_LETTER, _PADDING = 6.3, 7


def draw(columns):
    """The PNG's bytes: one bar an implementation (columns of a MatrixTable).

    The file also has its text, under Description.
    """
    import matplotlib  # here, because svg needs none

    matplotlib.use("agg")
    import matplotlib.pyplot as plt  # the backend is chosen first

    height = ROW_HEIGHT * (len(columns) + 1)
    with plt.rc_context({"font.family": "sans-serif", "font.size": 9}):
        figure = plt.figure(figsize=(WIDTH, height), facecolor="white")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set(xlim=(0, 1), ylim=(len(columns) + 1, 0))
        axes.text(
            0.015, 0.5, "Lockstep conformance: N replicas train as one", weight="bold", va="center", color="#1d2733"
        )
        for line, column in enumerate(columns, 1):
            _row(axes, line, column)
        out = io.BytesIO()
        figure.savefig(out, format="png", dpi=144, metadata={"Software": None, "Description": describe(columns)})
        plt.close(figure)
    return out.getvalue()


def describe(columns):
    """What the picture shows, a line a bar."""
    return "\n".join(f"{_title(column)}: {_words(column['promise'])}" for column in columns)


def svg(column):
    """The SVG of one implementation: a line of text on two grounds, as high as a line."""
    promise = column["promise"]
    label, words = f"{_title(column)}: N replicas train as one", _words(promise)
    color = next((_GROUNDS[word] for word in ("broken", "departed") if promise._asdict()[word]), _GROUNDS["kept"])
    widths = [_LETTER * len(text) + 2 * _PADDING for text in (label, words)]
    return page.render("badge.svg.j2", label=label, words=words, color=color, widths=widths, padding=_PADDING)


def _title(column):
    # Of "0.10.2, optax 0.2.8" the framework's own number is enough here; the matrix has all.
    return f"{column['name']} {column['version'].split(',')[0]}".strip()


def _row(axes, line, column):
    promise = column["promise"]
    axes.text(0.015, line + 0.45, _shorten(_title(column)), va="center", color="#1d2733")
    left = BAR_LEFT
    for word, count in promise._asdict().items():
        share = (BAR_RIGHT - BAR_LEFT) * count / max(sum(promise), 1)
        if share:
            axes.barh(line + 0.45, share, 0.55, left, color=FILLS[word])
            left += share
    axes.text(BAR_RIGHT + 0.015, line + 0.45, _words(promise), va="center", color="#1d2733")


def _words(promise):
    """No number for one that keeps all, so that a committed picture stays the same when cases are added."""
    return "all kept" if sum(promise) == promise.kept > 0 else summary(promise)


def summary(promise):
    """ "140 of 165 kept, 9 by convention, 2 broken, 14 unsupported": a matrix_table.Promise in words."""
    others = {"by convention": promise.departed, "broken": promise.broken, "unsupported": promise.unsupported}
    parts = [f"{promise.kept} of {sum(promise)} kept"]
    return ", ".join(parts + [f"{count} {word}" for word, count in others.items() if count])


def _shorten(name, longest=28):
    return name if len(name) <= longest else name[: longest - 1] + "…"
