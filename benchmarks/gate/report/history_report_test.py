"""A history as text, Markdown and a page."""
import re
import unittest

from benchmarks.gate.history import history_testing
from benchmarks.gate.history.history_testing import nights
from benchmarks.gate.recording import Side
from benchmarks.gate.recording_testing import MACHINE
from benchmarks.gate.report import history_html, history_markdown, history_overview, history_plot, history_text
from reports.html_testing import Page
from tools import xml_unittest

STEP = [0.001, -0.001] * 6 + [0.021, 0.019] * 6
SKIPPED = ('[history] h: skipped line 3: not JSON',)


class HistoryTextTest(unittest.TestCase):
    def test_the_latest_ratio_to_each_anchor_the_last_one_first(self):
        later = [history_testing.line(None, 30, baseline=Side(('train', '--x'), 'a2'))]
        lines = history_text.render('h.jsonl', nights([0.05, 0.01]) + later).splitlines()
        self.assertEqual(lines, [
            'h.jsonl: 3 gates, 2026-09-01 to 2026-10-01', '',
            'against train --x at a2', '  on cpu Example CPU, cores 2',
            '  Train/a  cpu    NOT JUDGED  c30 of 2026-10-01  1 gate, 0 judged', '',
            'against train at a1', '  on cpu Example CPU, cores 2',
            '  Train/a  cpu  +1.0 % [-1.0, +3.0]  FINE  c1 of 2026-09-02  2 gates'])

    def test_a_change_of_the_level_names_the_candidates_between_which_it_lies(self):
        text = history_text.render('h', nights(STEP))
        self.assertRegex(text, r'\n  changes of the level\n    Train/a  cpu  \+2\.0 % \[\+1\.\d, \+2\.\d\]  t \d+\.\d  '
                               r'between c11 of 2026-09-12 and c12 of 2026-09-13\n')
        self.assertNotIn('changes', history_text.render('h', nights([0.01] * 30)))

    def test_change_points_count_judged_gates_only(self):
        lines = nights([None if number == 3 else value for number, value in enumerate(STEP)])
        self.assertIn('between c11 of 2026-09-12 and c12 of 2026-09-13', history_text.render('h', lines))

    def test_a_note_is_told_once_a_gate(self):
        lines = nights([0.01]) + [history_testing.line(0.04, 1, metric=metric, note='accepted: float64')
                                  for metric in ('cpu', 'wall')]
        text = history_text.render('h', lines)
        self.assertTrue(text.endswith('  notes\n    2026-09-02  c1  accepted: float64\n'))

    def test_what_was_skipped_is_told(self):
        self.assertTrue(history_text.render('h', nights([0.01]), SKIPPED).endswith(f'\n{SKIPPED[0]}\n'))
        self.assertEqual(history_text.render('h', [], SKIPPED), f'h: no gates\n{SKIPPED[0]}\n')

    def test_machines_do_not_mix(self):
        other = {**MACHINE, 'cores': 64}
        text = history_text.render('h', nights(STEP[:12]) + [
            history_testing.line(value, 12 + number, machine=other) for number, value in enumerate(STEP[12:])])
        self.assertEqual(text.count('against train at a1'), 2)
        self.assertNotIn('changes', text)

    def test_of_many_anchors_the_latest_are_shown(self):
        lines = [history_testing.line(0.0, number, baseline=Side(('train',), f'p{number}')) for number in range(25)]
        text = history_text.render('h', lines)
        shown = re.findall(r'at (p\d+)\n', text)
        self.assertEqual(shown, [f'p{number}' for number in range(24, 4, -1)])
        self.assertIn('\n5 older anchors left out\n', text)

    def test_a_side_without_a_commit_is_named_by_its_program_or_command(self):
        for side, wanted in ((Side(('train',), 'c' * 40), 'cccccccccccc of'),
                             (Side(('train',), 'c' * 12 + '+changes'), 'cccccccccccc+changes of'),
                             (Side(('x',), '', 'd' * 64), 'program dddddddddddd of'),
                             (Side(('x', 'y z')), "x 'y z' of")):
            self.assertIn(f'  {wanted}', history_text.render('h', nights([0.0], candidate=side)))


class HistoryMarkdownTest(unittest.TestCase):
    def test_tables_have_their_cells_whatever_stands_in_them(self):
        lines = nights(STEP, entry='Train/a|b', note='see <b> | *this*')
        text = history_markdown.render('h|x', lines, SKIPPED)
        self.assertTrue(text.startswith('# h\\|x: 24 gates, '))
        rows = [line for line in text.splitlines() if line.startswith('|')]
        self.assertEqual([len(re.split(r'(?<!\\)\|', row)) - 2 for row in rows], [6] * 3 + [5] * 3 + [3] * 26)
        self.assertIn(r'| `Train/a\|b` | cpu | +1.9 % [-0.1, +4.0] | FINE |', text)
        self.assertIn(r'see \<b\> \| \*this\*', text)
        self.assertIn(r'\[history\] h: skipped line 3', text)


class HistoryHtmlTest(unittest.TestCase):
    def test_whole_and_needs_nothing_from_outside(self):
        page = Page(history_html.render('h', nights(STEP, note='a <b>'), SKIPPED))
        self.assertEqual((page.problems, page.fetched), ([], []))
        for part in ('h: 24 gates', 'Against train at a1', 'between c11 of 2026-09-12 and c12', 'a <b>', SKIPPED[0],
                     history_overview.RULE):
            self.assertIn(part, page.text)
        self.assertEqual(len(page.all('svg')), 1)

    def test_the_same_history_gives_the_same_bytes(self):
        self.assertEqual(history_html.render('h', nights(STEP)), history_html.render('h', nights(STEP)))

    def test_one_gate_is_no_plot_and_none_is_a_page(self):
        self.assertEqual(Page(history_html.render('h', nights([0.01]))).all('svg'), [])
        page = Page(history_html.render('h', []))
        self.assertEqual((page.problems, page.all('svg')), ([], []))

    def test_the_plot_shows_levels_changes_notes_and_verdicts(self):
        def svg(*args, **changes):
            (_, _, found), = history_html.plots([history_html_series(nights(*args, **changes))])
            return found
        step, calm = svg(STEP), svg([0.001, -0.001] * 12)
        self.assertIn('>+2.0 %</text>', step)
        self.assertEqual(step.count(f'stroke: {history_plot.LEVEL}'), 2)
        self.assertEqual(calm.count(f'stroke: {history_plot.LEVEL}'), 1)
        self.assertNotIn(history_plot.CHANGE, calm)
        self.assertIn('>2026-09-01</text>', calm)
        self.assertEqual(calm.count(f'fill: {history_plot.DOTS["fine"]}'), 24)
        self.assertIn(f'fill: {history_plot.DOTS["regression"]}', svg([0.04] * 3, outcome='regression'))
        self.assertNotIn(history_plot.NOTE, calm)
        self.assertEqual(svg([0.01] * 3, note='x').count(f'fill: {history_plot.NOTE}'), 3)


def history_html_series(lines):
    section, = history_overview.of('h', lines).sections
    one, = section.series
    return one


if __name__ == '__main__':
    xml_unittest.main()
