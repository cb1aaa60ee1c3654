"""The plots of one run's page, each as an SVG text of its own."""

from reports.performance import result_file
from reports.plots import figure
from reports.plots.figure import COLORS

PHASES = (
    ("input_wait", "input wait", "#8c8c8c"),
    ("forward", "forward", "#2f6db5"),
    ("backward", "backward", "#1b3f6b"),
    ("reduce", "exposed reduce", "#d1495b"),
    ("apply", "apply", "#edae49"),
    ("other", "other", "#cfd8e3"),
)


def label(entry):
    """What the entry trained on, for people: "2 replicas", "2 workers × 1 replica"."""
    if entry.get("strategy") == "none":
        return "no strategy"
    replicas = entry["replicas"]
    words = f"{replicas} replica{'s' if replicas > 1 else ''}"
    workers = entry.get("workers", 1)
    return words if workers == 1 else f"{workers} workers × {words}"


def _in_lines(entry):
    """The label where there is little room: workers in a line of their own."""
    return label(entry).replace(" × ", "\n× ")


def throughput(entries):
    """Examples a second for each configuration: the median, and every block."""

    def draw(axes):
        for x, entry in enumerate(entries):
            axes.bar(x, entry["items_per_second"], width=0.6, color=COLORS[0])
            blocks = entry["samples"].get("items_per_second", [])
            axes.scatter([x] * len(blocks), blocks, s=9, color=COLORS[1], zorder=3)
        axes.set_xticks(range(len(entries)), [_in_lines(e) for e in entries])
        axes.grid(axis="x", visible=False)
        axes.set_ylabel(f"{result_file.item(entries[0])}/s")
        axes.set_ylim(bottom=0)

    return figure.svg(draw)


def stack_phases(axes, steps, labels, thickness):
    """A bar a step, from the bottom up, of its phases (phase -> milliseconds)."""
    left = [0.0] * len(steps)
    for phase, name, color in PHASES:
        values = [step.get(phase, 0.0) for step in steps]
        axes.barh(range(len(steps)), values, thickness, left, label=name, color=color)
        left = [before + value for before, value in zip(left, values)]
    axes.set_yticks(range(len(steps)), labels)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("ms a step (slowest replica)")


def breakdown(entries):
    """Where a step's time goes, stacked, in milliseconds."""

    def draw(axes):
        stack_phases(axes, [e["breakdown_ms"] for e in entries], [_in_lines(e) for e in entries], thickness=0.55)
        axes.invert_yaxis()
        axes.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)

    return figure.svg(draw)


def epoch_curve(entries, fields, ylabel):
    """One line an entry and field over epochs; the second field is dashed."""

    def draw(axes):
        for entry, color in zip(entries, COLORS * len(entries)):
            for (field, name), dash in zip(fields, ("-", "--")):
                points = [(e["epoch_num"], e[field]) for e in entry["epochs"] if field in e]
                axes.plot(*zip(*points), dash, color=color, marker="o", markersize=3.5, label=f"{label(entry)}, {name}")
        axes.set_xlabel("epoch")
        axes.set_ylabel(ylabel)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.legend(frameon=False, fontsize=8.5)

    return figure.svg(draw)


def over_time(entries):
    """Examples a second of each block, in the order they were measured."""

    def draw(axes):
        for entry, color in zip(entries, COLORS * len(entries)):
            blocks = entry["samples"].get("items_per_second", [])
            axes.plot(range(1, len(blocks) + 1), blocks, color=color, lw=1.2, label=label(entry))
        axes.set_xlabel("block")
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_ylabel(f"{result_file.item(entries[0])}/s")
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False, fontsize=8.5)

    return figure.svg(draw, width=10.6, height=2.8)
