"""A Verdict on Recordings, by a Calibration or none: as text for a terminal, as JSON for programs, as
Markdown for a comment on a pull request, and as an HTML page with plots that needs nothing from outside.

The same verdict gives the same bytes.
"""

import dataclasses
import datetime
import json
import math
import os
import sys

from benchmarks.gate import change_points, history, ratios, recording_file
from benchmarks.gate.report import history_report, wording
from command_line.user_paths import user_path
from reports import command, page

# Of the JSON: schemas/verdict.schema.json.
FORMAT = 1


class ReportFiles:
    """The files of the reports, checked before the work begins.

    `options`: those of gate.parse. Errors: OSError for a path that cannot be written.
    """

    def __init__(self, options):
        wanted = (options.json, options.markdown, options.html)
        self._prints = "-" not in wanted
        self._json, self._markdown, self._html = map(command.output, wanted)
        self._wants_page = options.html is not None
        self._note = options.note
        self._history = options.history and user_path(options.history)
        if self._history:
            history.check_appendable(self._history)

    def write_all(self, verdict, taken, calibration=None):
        """Prints the verdict and writes the requested files. Errors: OSError; GateError for an unreadable history."""
        if self._prints:
            sys.stdout.write(to_text(verdict, taken, calibration))
        self._json.write(to_json_text(verdict, taken, calibration))
        self._markdown.write(to_markdown(verdict, taken, calibration))
        lines = self._remember(verdict, taken) if self._history else ()
        if self._wants_page:
            self._html.write(to_html(verdict, taken, lines, calibration))

    def _remember(self, verdict, taken):
        """Adds the gate to the history; what that holds of this machine."""
        history.append(self._history, verdict, taken, datetime.datetime.now(datetime.timezone.utc), self._note)
        lines, notes = history.read(self._history, taken.machine)
        for note in notes:
            print(note, file=sys.stderr)
        return lines


def to_text(verdict, taken, calibration=None):
    """One line a test, then what it rests on. Columns are two spaces apart."""
    facts = [*wording.facts(verdict, taken, calibration), ("repeat", wording.repeat(taken))]
    lines = wording.aligned([_cells(test, taken) for test in verdict.tests])
    lines += [wording.headline(verdict, taken) + f" (exit status {verdict.exit_status})"]
    lines += ["  " + line for line in wording.aligned(facts)]
    return "\n".join(lines) + "\n"


def _cells(test, taken):
    """The columns of a test's line; what was not judged has no numbers to align."""
    if test.interval is None:
        return test.entry, test.metric, wording.answer(test)
    return test.entry, test.metric, wording.size_of(test), f"delta {wording.delta(test, taken)}", wording.answer(test)


def to_json(verdict, taken, calibration=None):
    """JSON values (schemas/verdict.schema.json); those of no number are None. Ratios are shares of the time (0.056:
    takes 5.6 % longer), log ratios those of candidate over baseline."""
    return {
        "format": FORMAT,
        "outcome": verdict.outcome.value,
        "exit_status": verdict.exit_status,
        "headline": wording.headline(verdict, taken),
        "tests": [_test_json(test) for test in verdict.tests],
        "looked_at": verdict.looked_at,
        "quiet": verdict.quiet,
        "recordings": _recordings_json(taken),
        "machine": taken.machine,
        "baseline": taken.baseline.to_json(),
        "candidate": taken.candidate.to_json(),
        "seed": taken.seed,
        "method": taken.method,
        "stopped": taken.stopped,
        "arguments": list(taken.arguments),
        "same_program": taken.is_same_program(),
        "delta": taken.delta,
        "entry": taken.entry,
        "cpu_field": taken.cpu_field,
        "metrics": list(taken.metrics),
        "required": list(taken.required),
        "looks": list(taken.schedule.looks),
        "calibration": calibration and recording_file.calibration_to_json(calibration),
        "repeat": wording.repeat(taken),
    }


def to_json_text(verdict, taken, calibration=None):
    return json.dumps(to_json(verdict, taken, calibration), indent=2, ensure_ascii=False) + "\n"


def _test_json(test):
    ratio, lower, upper = map(math.expm1, dataclasses.astuple(test.interval)) if test.interval else [None] * 3
    return {
        "entry": test.entry,
        "metric": test.metric,
        "outcome": test.outcome.value,
        "ratio": ratio,
        "lower": lower,
        "upper": upper,
        "delta": test.delta,
        "used": test.used,
        "reason": test.reason,
    }


def _recordings_json(taken):
    return [
        {
            "first": each.first,
            "seconds": each.seconds,
            "others_share": pair.share,
            "quiet": pair.quiet,
            "log_ratios": [
                {"entry": entry, "metric": metric, "value": pair.values[entry, metric]}
                for entry, metric in taken.tests()
            ],
        }
        for each, pair in zip(taken.recordings, ratios.of_all(taken))
    ]


def to_markdown(verdict, taken, calibration=None):
    """Headline and table, the rest folded."""
    return page.render(_template("gate_verdict.md.j2"), **_parts(verdict, taken, calibration))


def to_html(verdict, taken, history_lines=(), calibration=None):
    """`history_lines`: Lines by date; those of these tests against this baseline on this machine are shown."""
    from benchmarks.gate.report import plots  # where it is needed: it loads Matplotlib

    pairs = ratios.of_all(taken)
    return page.render(
        _template("gate_verdict.html.j2"),
        **_parts(verdict, taken, calibration),
        panels=[(test, plots.pair_ratios(test, *_values(test, pairs, verdict.looked_at))) for test in verdict.tests],
        load=plots.others_share([pair.share for pair in pairs]) if pairs else "",
        past=plots.history_of_each(_past(verdict, taken, history_lines)),
        rule=history_report.RULE,
    )


def _template(name):
    return os.path.join(history_report.TEMPLATES, name)


def _parts(verdict, taken, calibration):
    """The values for the templates of Markdown and page."""
    return {
        "verdict": verdict,
        "headline": wording.headline(verdict, taken),
        "taken": taken,
        "wording": wording,
        "facts": wording.facts(verdict, taken, calibration),
        "levels": wording.levels(),
        "repeat": wording.repeat(taken),
    }


def _past(verdict, taken, history_lines):
    """The Series of the tests against this anchor."""
    tests = {(test.entry, test.metric) for test in verdict.tests}
    anchor = history.anchor(taken.baseline)
    return change_points.series_of(
        [
            each
            for each in history_lines
            if each.machine == taken.machine and each.anchor == anchor and (each.entry, each.metric) in tests
        ]
    )


def _values(test, pairs, looked_at):
    """The log ratios of all recordings, and whether each counts."""
    values = [pair.values[test.entry, test.metric] for pair in pairs]
    counts = [number < looked_at and ratios.is_usable(pair, test.metric) for number, pair in enumerate(pairs)]
    return values, counts
