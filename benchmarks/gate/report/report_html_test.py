"""A verdict as a page."""
import dataclasses
import re
import unittest

from benchmarks.gate import recording_file, verdict
from benchmarks.gate.history.history_testing import nights
from benchmarks.gate.recording import Side
from benchmarks.gate.recording_testing import LOADED, jittered, pair, recordings
from benchmarks.gate.report import ratio_plots, report_html
from reports.html_testing import Page
from tools import xml_unittest


BAND = f'fill: {ratio_plots.BAND}; opacity: 0.18'


def figures(text):
    return re.findall('<svg.*?</svg>', text, re.DOTALL)


def render(taken):
    return report_html.render(verdict.judge(taken), taken)


class ReportHtmlTest(unittest.TestCase):
    def test_whole_and_needs_nothing_from_outside(self):
        for name in ('busy', 'mixed'):
            taken, _ = recording_file.load(f'benchmarks/gate/testdata/recordings_{name}.json')
            page = Page(render(taken))
            self.assertEqual((page.problems, page.fetched), ([], []))
            self.assertEqual(len(page.all('svg')), 5)  # two entries in two times, and the load

    def test_the_same_recordings_give_the_same_bytes(self):
        taken = recordings(jittered(1.04))
        self.assertEqual(render(taken), render(taken))

    def test_headline_table_facts_and_command(self):
        text = Page(render(recordings(jittered(1.1, others=LOADED), seed=5))).text
        for part in ('Lockstep: Regression: Train/a takes 10.0 % more CPU time', 'REGRESSION',
                     'NOT JUDGED: the machine was quiet in 0 of 4 recordings', 'seed5', 'candidatetrain at b2',
                     'What others used of the machine', 'at most 0.5 % of cases', '--candidate=train'):
            self.assertIn(part, text)

    def test_names_are_escaped(self):
        text = render(recordings([pair(1.1, names=('Train/<a>',))] * 4))
        self.assertIn('Train/<wbr>&lt;a&gt;', text)
        self.assertNotIn('<a>', text)

    def test_without_recordings_there_is_a_page_without_plots(self):
        page = Page(render(recordings([])))
        self.assertEqual((page.problems, page.all('svg')), ([], []))
        self.assertIn('Undecided: nothing was recorded', page.text)

    def test_recordings_that_do_not_count_are_hollow(self):
        taken = recordings(jittered(1.1, 3) + [pair(1.1, others=LOADED)] + jittered(1.1, 2))
        self.assertEqual(verdict.judge(taken).looked_at, 4)
        # Of CPU time the two behind the verdict; of wall time the busy one too.
        self.assertEqual([svg.count(f'fill: #ffffff; stroke: {ratio_plots.UNUSED}') for svg in figures(render(taken))],
                         [2, 3, 0])

    def test_lines_and_band_are_named_and_there(self):
        cpu, wall, load = figures(render(recordings(jittered(1.0, others=LOADED))))
        for name in ('0', 'delta', '2 delta'):
            self.assertIn(f'>{name}</text>', cpu)
        self.assertIn(BAND, cpu)
        self.assertNotIn(BAND, wall)  # not judged: there is no interval
        self.assertIn('>quiet</text>', load)

    def test_earlier_gates_against_the_same_baseline_are_shown(self):
        taken = recordings(jittered(1.0))
        judged = verdict.judge(taken)
        others = nights([0.5, 0.5], entry='Train/b') + nights([0.5, 0.5], machine={'cores': 64}) + nights(
            [0.5, 0.5], baseline=Side(('x',), 'other'))
        self.assertEqual(report_html.render(judged, taken, others), render(taken))
        page = Page(report_html.render(judged, taken, nights([0.0, 0.01]) + others))
        self.assertEqual(len(page.all('svg')), 4)
        self.assertIn('Gates against this baseline: CPU time', page.text)

    def test_the_load_of_a_recording_can_be_unknown(self):
        unknown = dataclasses.replace(pair(), baseline=dataclasses.replace(pair().baseline, busy=None))
        self.assertEqual(figures(render(recordings([unknown] * 4)))[-1].count('>unknown</text>'), 4)


if __name__ == '__main__':
    xml_unittest.main()
