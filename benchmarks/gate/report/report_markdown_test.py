"""A verdict as a comment on a pull request."""
import re
import unittest

from benchmarks.gate import verdict
from benchmarks.gate.recording import Side
from benchmarks.gate.recording_testing import LOADED, jittered, pair, recordings
from benchmarks.gate.report import report_markdown
from tools import xml_unittest


def render(taken):
    return report_markdown.render(verdict.judge(taken), taken)


def cells(line):
    return [cell.strip() for cell in re.split(r'(?<!\\)\|', line)[1:-1]]


class ReportMarkdownTest(unittest.TestCase):
    def test_headline_first_then_a_row_a_test(self):
        lines = render(recordings(jittered(1.1, others=LOADED))).splitlines()
        self.assertEqual(lines[0], '**Regression: Train/a takes 10.0 % more CPU time**')
        self.assertEqual(lines[1], '')
        self.assertEqual(cells(lines[4])[:2], ['`Train/a`', 'cpu'])
        self.assertRegex(cells(lines[4])[2], r'^\+10\.0 % \[\+\d\.\d, \+1\d\.\d\]$')
        self.assertEqual(cells(lines[4])[3:], ['3 %', 'REGRESSION'])
        self.assertEqual(cells(lines[5]), ['`Train/a`', 'wall', '', '3 %', 'NOT JUDGED: the machine was quiet in 0 of '
                                           '4 recordings, 4 are wanted'])

    def test_the_rest_is_folded(self):
        text = render(recordings(jittered(1.1), seed=5))
        folded = text[text.index('<details>'):text.index('</details>')]
        for part in ('| seed | 5 |', '| candidate | `train at b2` |', 'in at most 0.5 % of cases', 'at most 5 %.',
                     '```sh\n./bazelw run //benchmarks:gate -- --baseline=train'):
            self.assertIn(part, folded)
        self.assertTrue(text.endswith('\n</details>\n'))

    def test_names_stay_in_their_cells_and_are_no_markup(self):
        name = 'Train/a|b`c<d>*e*'
        taken = recordings([pair(1.1, names=(name,))] * 4, candidate=Side(('x', '```', '<b>', 'p|q')))
        text = render(taken)
        lines = text.splitlines()
        self.assertEqual(lines[0], r'**Regression: Train/a\|b\`c\<d\>\*e\* takes 10.0 % more CPU time, the most of 2 '
                                   r'slowdowns**')
        self.assertEqual([len(cells(line)) for line in lines[2:6]], [5] * 4)
        self.assertEqual(cells(lines[4])[0], r'`` Train/a\|b`c<d>*e* ``')
        self.assertIn('\n````sh\n', text)
        self.assertIn(r"| candidate | ```` x '```' '<b>' 'p\|q' ```` |", text)


if __name__ == '__main__':
    xml_unittest.main()
