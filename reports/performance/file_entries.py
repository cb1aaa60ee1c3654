"""The entries of one result file as Series, whichever program wrote them."""

import math

from reports.json_file import ReportError
from reports.performance import entry_name, result_file
from reports.performance.series import OURS, TIME, Series, rate_of

_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
# Of kernels_benchmark, whose entries hold the peer's times beside ours.
_PEER_FIELD, _PEER = "onednn_us", "onednn"


def read(result, source, path):
    """([Series], [note]) of a result that fits the schema.

    Errors: ReportError, naming `path`, for a training entry with missing fields, a figure that is not finite, and
    entries that nothing distinguishes.
    """
    entries = result["benchmarks"]
    result_file.training_entries({"benchmarks": [entry for entry in entries if _program(entry) == OURS]}, path)
    notes = [] if source.complete else ["the run was interrupted: shown is what it had measured by then"]
    notes += [f"a slowdown was planted: {source.planted}"] if source.planted else []
    notes += [
        f"{peer} failed and is not compared: {_first_line(why)}" for peer, why in result.get("failures", {}).items()
    ]
    series, seen = {}, set()
    for entry in _without_aggregates(entries, notes):
        name = entry_name.parse(entry.get("run_name", entry["name"]))
        which = (_program(entry), name, entry.get("round"), entry.get("repetition_index"))
        if which in seen:
            raise ReportError(
                f"[load] {path}: two entries named {entry['name']}, and no round or repetition that tells them apart"
            )
        seen.add(which)
        problem = _add(series, entry, name, source, path)
        if problem:
            notes.append(f"{entry['name']}: {problem}")
    return list(series.values()), list(dict.fromkeys(notes))


def _program(entry):
    labels = entry_name.parse(entry["name"]).by_key
    by = labels.get("by", "own")
    return entry.get("program") or labels.get("implementation") or (OURS if by == "own" else by)


def _without_aggregates(entries, notes):
    """Without what Google Benchmark made of entries that are there; of those that are not, the medians."""

    def run_name(entry):
        return entry.get("run_name", entry["name"])

    measured = {run_name(entry) for entry in entries if entry.get("run_type") != "aggregate"}
    kept = [
        entry
        for entry in entries
        if run_name(entry) not in measured
        and entry.get("aggregate_name") == "median"
        or entry.get("run_type") != "aggregate"
    ]
    shown = {run_name(entry) for entry in kept}
    notes += [
        f"{name}: aggregates without a median; not shown"
        for name in dict.fromkeys(map(run_name, entries))
        if name not in shown
    ]
    return kept


def _add(series, entry, name, source, path):
    """Adds the entry's figures; gives what is to be said where there are none."""
    if wrong := _wrong(entry):
        return f"failed its checks ({wrong}); not shown"
    unit = rate_of(entry) or (TIME if TIME.field in entry else None)
    if unit is None:
        return "no rate and no time; not shown"
    samples = _samples(entry, unit, name, path)
    if not samples:
        return "not measured: the run ended in its warm-up" if name.path == "Train" else "not measured"
    if _PEER_FIELD in entry:
        _add_pair(series, entry, name, source, path)
        return None
    _put(series, source, name, _program(entry), unit, entry.get("round"), samples, entry)
    return None


def _add_pair(series, entry, name, source, path):
    """Ours and the peer of an entry of kernels_benchmark: within a repetition they took turns."""
    turn = entry.get("repetition_index", 0)
    ours, theirs, gain = (_finite(entry[field], entry, path) for field in ("own_us", _PEER_FIELD, "gain"))
    _put(series, source, name, OURS, TIME, turn, [1e-6 * ours], entry).turns[turn] = [gain]
    _put(series, source, name, _PEER, TIME, turn, [1e-6 * theirs], entry)


def _put(series, source, name, program, unit, round_, samples, entry):
    one = series.setdefault((program, name, unit), Series(source, name, program, unit, {}, []))
    one.rounds.setdefault(round_, []).extend(samples)
    one.entries.append(entry)
    return one


def _wrong(entry):
    """Checks of its own that an entry failed, in words; '' where there are none."""
    checks = {**entry.get("checks", {}), **{key: entry[key] for key in ("trained", "right") if key in entry}}
    failed = [key for key, value in checks.items() if value is False]
    if entry.get("wrong"):
        failed.append(f"{entry['wrong']} wrong")
    if entry.get("error_occurred"):
        failed.append(entry.get("error_message", "error"))
    return ", ".join(failed)


def _samples(entry, unit, name, path):
    """The entry's samples, else its one figure, in base units; none where it is 0."""
    scale = _SECONDS[entry.get("time_unit", "ns")] if unit is TIME else 1
    figure = _finite(entry[unit.field], entry, path)
    samples = entry.get("samples", [])
    if isinstance(samples, dict):
        samples = samples.get(unit.field, [])
    if unit.field == "algbw" and "samples_us" in entry and name.number("bytes"):
        samples = [name.number("bytes") / (1e-6 * time) for time in entry["samples_us"]]
    if figure == 0:
        return []
    return [_finite(sample, entry, path) for sample in samples] or [figure * scale]


def _finite(value, entry, path):
    if not math.isfinite(value):
        raise ReportError(f"[load] {path}: {entry['name']}: a figure is {value}; wanted a finite number")
    return value


def _first_line(text):
    return (str(text).splitlines() or [""])[0]
