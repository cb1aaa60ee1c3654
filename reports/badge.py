"""A small picture of who passes how many required cases, for a README."""

import io

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)

from reports import case_status  # noqa: E402

WIDTH = 8.2
ROW_HEIGHT = 0.34
BAR_LEFT, BAR_RIGHT = 0.25, 0.56
# Grounds that are told apart in print and by the colour-blind: light to dark.
FILLS = {
    "passed": "#2e8b57",
    "told": "#a9b8c9",
    "differs": "#5b8fd6",
    "warned": "#9bbf3b",
    "unsupported": "#c9d1da",
    "failed": "#b3263f",
    "errored": "#d9822b",
    "timed_out": "#7a5195",
    "crashed": "#7a5195",
    "protocol_error": "#7a5195",
}


def draw(columns):
    """The PNG's bytes: one bar an implementation (columns of a MatrixTable).

    What it shows stands in the file as text too, under Description.
    """
    height = ROW_HEIGHT * (len(columns) + 1)
    with plt.rc_context({"font.family": "sans-serif", "font.size": 9}):
        figure = plt.figure(figsize=(WIDTH, height), facecolor="white")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set(xlim=(0, 1), ylim=(len(columns) + 1, 0))
        axes.text(0.015, 0.5, "Lockstep conformance: required cases", weight="bold", va="center", color="#1d2733")
        for line, column in enumerate(columns, 1):
            _row(axes, line, column)
        out = io.BytesIO()
        figure.savefig(out, format="png", dpi=144, metadata={"Software": None, "Description": describe(columns)})
        plt.close(figure)
    return out.getvalue()


def describe(columns):
    """What the picture shows, a line a bar."""
    return "\n".join(f"{_title(column)}: {_words(column['required'])}" for column in columns)


def _title(column):
    # Of "0.10.2, optax 0.2.8" the framework's own number is enough here; the matrix has all.
    return f"{column['name']} {column['version'].split(',')[0]}".strip()


def _row(axes, line, column):
    total = sum(column["required"].values())
    axes.text(0.015, line + 0.45, _shorten(_title(column)), va="center", color="#1d2733")
    left = BAR_LEFT
    for status in case_status.ALL:
        share = (BAR_RIGHT - BAR_LEFT) * column["required"][status] / max(total, 1)
        if share:
            axes.barh(line + 0.45, share, 0.55, left, color=FILLS[status])
            left += share
    axes.text(BAR_RIGHT + 0.015, line + 0.45, _words(column["required"]), va="center", color="#1d2733")


def _words(counts):
    """Of who passes all no number: a picture that is kept is then the same with one case more."""
    return "all passed" if sum(counts.values()) == counts["passed"] > 0 else summary(counts)


def summary(counts):
    """ "300 of 317 passed, 12 unsupported, 5 otherwise": of required cases."""
    total, passed, unsupported, otherwise = shares(counts)
    parts = [f"{passed} of {total} passed"]
    parts += [f"{unsupported} unsupported"] if unsupported else []
    return ", ".join(parts + ([f"{otherwise} otherwise"] if otherwise else []))


def shares(counts):
    """How many required cases there are; of these pass, are unsupported, and come out otherwise."""
    total, unsupported = sum(counts.values()), counts["unsupported"]
    passed = counts["passed"] + counts["warned"]
    return total, passed, unsupported, total - passed - unsupported


def _shorten(name, longest=28):
    return name if len(name) <= longest else name[: longest - 1] + "…"
