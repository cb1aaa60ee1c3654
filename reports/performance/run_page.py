"""Renders one result of //benchmarks:scaling as an HTML page.

It has throughput, phases, loss and the measurement's context.
"""

import os

from reports import page
from reports.json_file import ReportError
from reports.performance import result_file, run_plots

TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")
# Context fields that templates/run.html.j2 requires.
REQUIRED_CONTEXT_FIELDS = ("date", "workload", "complete", "data")
REQUIRED_DATA_FIELDS = ("name", "source", "train_examples", "test_examples")


def build_page(result, path):
    """Returns the HTML page of `result`, as returned by result_file.load.

    `path` names the result in messages and on the page. Errors: ReportError without a training
    entry or with an incomplete context.
    """
    entries = result_file.training_entries(result, path)
    if not entries:
        raise ReportError(f"[performance] {path} has no entry named Train/...")
    _check_context(result["context"], path)
    return page.render(
        os.path.join(TEMPLATES, "run.html.j2"),
        context=result["context"],
        items=result_file.item(entries[0]),
        quality=result_file.quality(entries[0]),
        context_rows=_context_rows(result["context"]),
        rows=[_row(entry, entries[0]) for entry in entries],
        figures=_figures(entries),
        phases=run_plots.PHASES,
        has_workers=any(entry.get("workers", 1) > 1 for entry in entries),
        has_memory=any("device_memory" in entry for entry in entries),
        mebibytes=_mebibytes,
        result_name=os.path.basename(path),
    )


def _check_context(context, path):
    """Raises ReportError, with their names, if required fields are missing."""
    missing = [field for field in REQUIRED_CONTEXT_FIELDS if field not in context]
    if "data" in context:
        data = context["data"] if isinstance(context["data"], dict) else {}
        missing += [f"data.{field}" for field in REQUIRED_DATA_FIELDS if field not in data]
    if missing:
        raise ReportError(f"[performance] {path}: context has no {', '.join(missing)}")


def _context_rows(context):
    """(label, text) of each context field."""
    return [(key.replace("_", " "), _to_text(key, context[key])) for key in context]


def _to_text(key, value):
    """The text of the value of a context field; `key` is "" for an item of a list."""
    if key == "caches":
        return ", ".join(
            f"L{cache['level']} {cache['size'] // 1024} KiB" + _sharing(cache.get("num_sharing")) for cache in value
        )
    if key == "memory_bytes":
        return f"{value / 2**30:.1f} GiB"
    if isinstance(value, dict):
        return "; ".join(f"{k.replace('_', ' ')}: {_to_text(k, v)}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(_to_text("", item) for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def _sharing(count):
    return f" shared by {count} CPU{'s' if count > 1 else ''}" if count else ""


def _row(entry, baseline):
    """`entry` plus the derived fields that the table shows, relative to `baseline`."""
    speed = entry["items_per_second"]
    low, _, high = result_file.spread(entry["samples"].get("items_per_second") or [speed])
    last = entry["epochs"][-1] if entry["epochs"] else {}
    relative = speed / baseline["items_per_second"] if baseline["items_per_second"] else None
    return {
        **entry,
        "low": low,
        "high": high,
        "relative": relative,
        "measured": speed > 0,
        "last": last,
        "label": run_plots.label(entry),
        "has_strategy": entry.get("strategy") != "none",
        "test_quality": _quality_text(entry, last),
    }


def _quality_text(entry, epoch):
    """The quality of the test data after an epoch: "90.93 %"; "" where there is none."""
    quality = result_file.quality(entry)
    figure = epoch.get(f"eval_{quality['name']}")
    return "" if figure is None else " ".join(filter(None, (f"{figure:.2f}", quality["unit"])))


def _mebibytes(entry, field):
    """A field of device_memory in MiB with thousands separators; "" if absent."""
    memory = entry.get("device_memory", {})
    return f"{memory[field] / 2**20:,.0f}" if field in memory else ""


def _figures(entries):
    """(title, note, SVG) of each plot that the entries have data for."""
    figures = []
    if any(entry["items_per_second"] for entry in entries):
        figures.append(
            ("Throughput", "Bar: median over blocks of steps; dots: the blocks.", run_plots.throughput(entries))
        )
    if any(entry["breakdown_ms"] for entry in entries):
        figures.append(("Where a step's time goes", "Mean over the measured steps.", run_plots.breakdown(entries)))
    if any(entry["epochs"] for entry in entries):
        figures.append(
            (
                "Loss",
                "Mean per example, as reported by the training loop.",
                run_plots.epoch_curve(entries, [("loss", "training"), ("test_loss", "test")], "loss"),
            )
        )
    quality = result_file.quality(entries[0])
    fields = [(quality["name"], "training"), (f"eval_{quality['name']}", "test")]
    fields = [one for one in fields if any(one[0] in epoch for entry in entries for epoch in entry["epochs"])]
    if fields:
        label = ", ".join(filter(None, (quality["label"], quality["unit"])))
        figures.append(
            (
                quality["label"][0].upper() + quality["label"][1:],
                "As the training loop reported it after each epoch.",
                run_plots.epoch_curve(entries, fields, label),
            )
        )
    if any(entry["samples"].get("items_per_second") for entry in entries):
        figures.append(
            (
                "Throughput over time",
                "Each block in order. A dip often means that another process used the machine.",
                run_plots.over_time(entries),
            )
        )
    return figures
