"""A verdict as Markdown, for a comment on a pull request: headline and table, the rest folded."""
import os

from benchmarks.gate.report import evidence, repeat_command, wording
from reports import page

TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'templates', 'gate_verdict.md.j2')


def render(verdict, taken, calibration=None):
    """The text of a Verdict on Recordings, by a Calibration or none. The same verdict gives the same bytes."""
    return page.render(
        TEMPLATE,
        headline=wording.headline(verdict, taken),
        tests=verdict.tests,
        taken=taken,
        wording=wording,
        facts=evidence.facts(verdict, taken, calibration),
        levels=evidence.levels(),
        repeat=repeat_command.of(taken),
    )
