"""What a result file says of itself: when, where and how it was measured."""

import datetime
import json

from reports.json_file import ReportError
from reports.performance.entry_name import bytes_in_words
from reports.performance.series import Machine, Source


def read(result, path, name):
    """The Source of a result that fits the schema, to be called `name`. Errors: ReportError, naming `path`."""
    context = result["context"]
    options = context.get("options", {})
    return Source(
        name=name,
        date=_date(context, path),
        machine=machine(context),
        complete=context.get("complete") is not False,
        suite=context.get("suite"),
        scaling=options.get("scaling", "weak") if "options" in context else None,
        gpu_math=context.get("gpu_math"),
        planted=json.dumps(options["planted"], sort_keys=True) if "planted" in options else None,
        entries=len(result["benchmarks"]),
    )


def machine(context):
    """The Machine of a context: model, cores, caches and GPUs. Two machines of one kind count as one."""
    cores = context.get("num_cpus")
    model = None if context.get("cpu_model") == "unknown" else context.get("cpu_model")
    caches = _caches(context.get("caches", ()))
    gpus = context.get("gpus") or ([context["gpu"]] if context.get("gpu") else [])
    kind = model or ", ".join(f"L{level} {bytes_in_words(size)}" for level, size in caches)
    words = [kind or f"{context.get('machine', 'machine')} (model unknown)"]
    words += [f"{cores} core" + ("" if cores == 1 else "s")] if cores else []
    key = (model, cores, caches, tuple(gpus)) if kind or gpus else None
    return Machine(key, ", ".join([*words, *gpus]), bool(gpus))


def _date(context, path):
    text = context.get("date")
    try:
        return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z")
    except (TypeError, ValueError):
        raise ReportError(
            f"[load] {path}: context has the date {text!r}; wanted one such as '2026-01-31T12:00:00+00:00'"
        ) from None


def _caches(caches):
    """((level, bytes), ...) of those that hold data."""
    return tuple(sorted({(cache["level"], cache["size"]) for cache in caches if cache.get("type") != "Instruction"}))
