"""The report of many results: what was found in them, and the same as HTML, Markdown and JSON."""

import dataclasses
import json
import os

from reports import page
from reports.performance import (
    bar_drawings,
    breakdowns,
    collectives,
    curve_drawings,
    ratios,
    result_set,
    scaling_curves,
    trends,
)
from reports.performance.drawing import Section, in_digits
from reports.performance.ratios import Drift
from reports.performance.series import program_words

TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")


@dataclasses.dataclass(frozen=True)
class Report:
    """Everything that is shown. `drift` is None where no program has several rounds."""

    results: result_set.ResultSet
    ratios: list
    changes: list
    drift: Drift | None
    trends: list
    curves: list
    breakdowns: list
    lines: list


def build(results):
    """The Report of a ResultSet."""
    series = results.series
    histories = trends.histories(series)
    return Report(
        results=results,
        ratios=ratios.against_peers(series),
        changes=ratios.against_dates(histories),
        drift=ratios.largest_drift(series),
        trends=trends.find(series),
        curves=scaling_curves.find(series),
        breakdowns=breakdowns.find(series),
        lines=collectives.find(series),
    )


def sections(report):
    """Figures by section, in the order of the page."""
    return [
        Section(
            "ratios",
            "Ours against peers",
            bar_drawings.of_ratios(report.ratios),
            "No file holds ours and a peer that took turns: benchmarks/peers/compare.py makes such files.",
        ),
        Section(
            "scaling",
            "Scaling",
            curve_drawings.of_curves(report.curves),
            "No file holds training at two numbers of replicas: //benchmarks:scaling makes such files.",
        ),
        Section(
            "breakdown",
            "Where a step's time goes",
            bar_drawings.of_breakdowns(report.breakdowns),
            "No entry tells the phases of a step: those of //benchmarks:scaling do.",
        ),
        Section(
            "collectives",
            "Collectives",
            curve_drawings.of_collectives(report.lines),
            "No file holds a collective with its bytes: //benchmarks/micro:all_reduce_benchmark makes such files.",
        ),
        Section(
            "trends",
            "From date to date",
            curve_drawings.of_trends(report.trends),
            "No entry was measured twice on one machine. A file that tells neither model, caches nor GPUs has "
            "a machine of its own.",
        ),
    ]


def as_html(report):
    """One page that needs nothing from outside."""
    return page.render(os.path.join(TEMPLATES, "report.html.j2"), **values(report))


def as_markdown(report):
    """The tables, without figures."""
    return page.render(os.path.join(TEMPLATES, "report.md.j2"), **values(report))


def values(report):
    """What the templates show. The figures are drawn when a template asks for them."""
    return {
        "report": report,
        "sections": sections(report),
        "drift_words": drift_words(report.drift),
        "shown": _shown,
        "digits": in_digits,
        "program_words": program_words,
    }


def _shown(one):
    """'1,234 (1,100 to 1,300)': the median of a Series and its quartiles; one figure has none."""
    low, middle, high = (one.unit.show(value) for value in one.spread())
    return middle if len(one.figures()) == 1 else f"{middle} ({low} to {high})"


def drift_words(drift):
    """How much shared machines differ from themselves, as far as the files tell."""
    if drift is None:
        return "by how much, no file here tells: none has several rounds"
    program = program_words(drift.series.program)
    return (
        f"one program by up to {drift.ratio:.2f} times from round to round of one run ({program}: "
        f"{drift.series.name.words}, in {drift.series.source.name})"
    )


def as_json(report):
    """What was found, as JSON text; its fields are in docs/formats.md."""
    results = report.results
    found = {
        "files": [_file_as_json(source) for source in results.sources],
        "notes": [{"file": name, "text": text} for name, text in results.notes],
        "ratios": [_ratio_as_json(ratio) for ratio in report.ratios],
        "dates": [_change_as_json(change) for change in report.changes],
        "drift": report.drift and _of_series(report.drift.series) | {"ratio": report.drift.ratio},
        "trends": [_trend_as_json(trend) for trend in report.trends],
        "scaling": [_curve_as_json(curve) for curve in report.curves],
        "breakdowns": [
            _of_series(bar.series) | {"milliseconds": bar.phases, "rounds": bar.rounds} for bar in report.breakdowns
        ],
        "collectives": [_line_as_json(line) for line in report.lines],
        "entries": [
            _of_series(one) | {"unit": one.unit.field, "quartiles": one.spread(), "count": len(one.figures())}
            for one in results.series
        ],
    }
    return json.dumps(found, indent=1) + "\n"


def _of_series(series):
    return {"file": series.source.name, "entry": str(series.name), "program": series.program}


def _file_as_json(source):
    return {
        "name": source.name,
        "date": source.date.isoformat(),
        "machine": source.machine.words,
        "complete": source.complete,
        "entries": source.entries,
    }


def _change_as_json(change):
    return {
        "entry": str(change.new.name),
        "machine": change.new.source.machine.words,
        "new": change.new.source.name,
        "old": change.old.source.name,
        "ratio": change.ratio,
    }


def _trend_as_json(trend):
    return {
        "entry": str(trend.name),
        "program": trend.program,
        "machine": trend.machine,
        "unit": trend.unit,
        "points": [
            {
                "date": point.date.isoformat(),
                "file": point.source,
                "complete": point.complete,
                "quartiles": point.spread,
                "count": point.count,
            }
            for point in trend.points
        ],
    }


def _curve_as_json(curve):
    return {
        "file": curve.source.name,
        "work": str(curve.work),
        "program": curve.program,
        "workers": curve.workers,
        "scaling": curve.scaling,
        "points": [dataclasses.asdict(point) for point in curve.points],
    }


def _line_as_json(line):
    return {
        "file": line.source.name,
        "collective": line.collective,
        "what": line.what,
        "program": line.program,
        "bound": line.bound,
        "points": [{"bytes": count, "algbw": spread} for count, spread in line.points],
    }


def _ratio_as_json(ratio):
    interval = ratio.interval
    return {
        "file": ratio.ours.source.name,
        "entry": str(ratio.ours.name),
        "peer": ratio.theirs.program,
        "peer_entry": str(ratio.theirs.name),
        "ratio": ratio.ratio,
        "low": interval and interval.low,
        "high": interval and interval.high,
        "rounds": interval.count if interval else 0,
        "verdict": ratio.verdict,
    }
