"""A verdict as an HTML page that needs nothing from outside."""
import os

from benchmarks.gate import ratios
from benchmarks.gate.history import line, series
from benchmarks.gate.report import (
    evidence, history_html, history_overview, ratio_plots, repeat_command, wording)
from reports import page

TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'templates', 'gate_verdict.html.j2')


def render(verdict, taken, history_lines=(), calibration=None):
    """The page of a Verdict on Recordings, by a Calibration or none. The same verdict gives the same bytes.

    `history_lines`: Lines by date; those of these tests against this baseline on this machine are shown.
    """
    pairs = ratios.of_all(taken)
    return page.render(
        TEMPLATE,
        verdict=verdict,
        headline=wording.headline(verdict, taken),
        taken=taken,
        wording=wording,
        panels=[(test, _ratios(test, pairs, verdict.looked_at)) for test in verdict.tests],
        load=ratio_plots.others_share([pair.share for pair in pairs]) if pairs else '',
        past=history_html.plots(_past(verdict, taken, history_lines)),
        rule=history_overview.RULE,
        facts=evidence.facts(verdict, taken, calibration),
        levels=evidence.levels(),
        repeat=repeat_command.of(taken),
    )


def _past(verdict, taken, history_lines):
    """The Series of the tests against this anchor."""
    tests = {(test.entry, test.metric) for test in verdict.tests}
    anchor = line.anchor(taken.baseline)
    return series.of([each for each in history_lines if each.machine == taken.machine and each.anchor == anchor
                      and (each.entry, each.metric) in tests])


def _ratios(test, pairs, looked_at):
    values = [pair.values[test.entry, test.metric] for pair in pairs]
    counts = [number < looked_at and ratios.is_usable(pair, test.metric) for number, pair in enumerate(pairs)]
    return ratio_plots.pair_ratios(test, values, counts)
