"""The page of one result of //benchmarks:scaling: throughput, phases, loss, how it was measured."""

import os

from reports import page
from reports.json_file import ReportError
from reports.performance import result_file, run_plots

TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")
# What the page says in words; the rest of a context is shown as it is.
CONTEXT_FIELDS = ("date", "workload", "complete", "data")
DATA_FIELDS = ("name", "source", "train_images", "test_images")


def build_page(result, path):
    """The report of `result` (as result_file.load gives it) as HTML text.

    `path` names the result in messages and on the page. Errors: ReportError.
    """
    entries = result_file.training_entries(result, path)
    if not entries:
        raise ReportError(f"[performance] {path}: no entry named Train/...: nothing to show")
    _check_context(result["context"], path)
    return page.render(
        os.path.join(TEMPLATES, "run.html.j2"),
        context=result["context"],
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
    data = context.get("data")
    missing = [field for field in CONTEXT_FIELDS if field not in context]
    missing += [
        f"data.{field}"
        for field in DATA_FIELDS
        if "data" not in missing and not (isinstance(data, dict) and field in data)
    ]
    if missing:
        raise ReportError(f"[performance] {path}: context has no {', '.join(missing)}")


def _context_rows(context):
    """(label, text) of everything that is known of the run, for people."""
    return [(key.replace("_", " "), _in_words(key, context[key])) for key in context]


def _in_words(key, value):
    if key == "caches":
        return ", ".join(
            f"L{cache['level']} {cache['size'] // 1024} KiB" + _for_cores(cache.get("num_sharing")) for cache in value
        )
    if key == "memory_bytes":
        return f"{value / 2**30:.1f} GiB"
    if isinstance(value, dict):
        return "; ".join(f"{k.replace('_', ' ')}: {_in_words(k, v)}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(_in_words("", item) for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def _for_cores(count):
    return f" for {count} core{'s' if count > 1 else ''}" if count else ""


def _row(entry, first):
    """An entry with what the table shows beside the entry's own fields."""
    low, _, high = result_file.spread(entry["samples"].get("images_per_second") or [entry["images_per_second"]])
    last = entry["epochs"][-1] if entry["epochs"] else {}
    return {
        **entry,
        "low": low,
        "high": high,
        "relative": (entry["images_per_second"] / first["images_per_second"] if first["images_per_second"] else None),
        "measured": entry["images_per_second"] > 0,
        "last": last,
        "label": run_plots.label(entry),
        "has_strategy": entry.get("strategy") != "none",
    }


def _mebibytes(entry, field):
    """A field of the entry's device memory for people; empty where there is none."""
    memory = entry.get("device_memory", {})
    return f"{memory[field] / 2**20:,.0f}" if field in memory else ""


def _figures(entries):
    """(title, note, SVG) of each plot that the entries have data for."""
    figures = []
    if any(entry["images_per_second"] for entry in entries):
        figures.append(
            ("Throughput", "Bar: median over blocks of steps; dots: the blocks.", run_plots.throughput(entries))
        )
    if any(entry["breakdown_ms"] for entry in entries):
        figures.append(("Where a step's time goes", "Mean over the measured steps.", run_plots.breakdown(entries)))
    if any(entry["epochs"] for entry in entries):
        figures.append(
            (
                "Loss",
                "Per example, as the training loop reports it.",
                run_plots.epoch_curve(entries, [("loss", "training"), ("test_loss", "test")], "loss"),
            )
        )
        figures.append(
            (
                "Accuracy",
                "Of the images in percent.",
                run_plots.epoch_curve(entries, [("accuracy", "training"), ("eval_accuracy", "test")], "accuracy, %"),
            )
        )
    if any(entry["samples"].get("images_per_second") for entry in entries):
        figures.append(
            ("Steadiness", "A dip shows where something else had the machine.", run_plots.over_time(entries))
        )
    return figures
