import json
import os
import unittest

from tools import xml_unittest
from tools.gpu_check import summary

GAVE = {
    'commit': 'abc', 'machine': {'gpus': ['A GPU, 1.0']},
    'results': [{'name': 'good', 'result': 'passed', 'seconds': 1.25,
                 'cases': 3, 'failed_cases': 0, 'skipped_cases': 0},
                {'name': 'bad', 'result': 'failed', 'seconds': 2, 'why': 'out | of memory'},
                {'name': 'fine', 'result': 'passed', 'seconds': 0}],
    'verdicts': [{'name': 'overhead', 'wanted': 'under 1 %', 'got': '0.4 %', 'verdict': 'met', 'file': 'a.json'},
                 {'name': 'tests', 'wanted': 'all', 'got': 'bad: failed', 'verdict': 'not met', 'file': 'b.json'}]}


class SummaryTest(unittest.TestCase):
    def test_the_page_begins_with_the_verdicts(self):
        lines = summary.text(GAVE).splitlines()
        self.assertEqual(lines[:8], [
            '# GPU check of abc', '', 'Promises for GPUs: 1 met, 1 not met.', '',
            '| verdict | wanted | got | file |', '|---|---|---|---|',
            '| **met** | under 1 % | 0.4 % | a.json |',
            '| **not met** | all | bad: failed | b.json |'])
        self.assertIn('- A GPU, 1.0', lines)
        self.assertEqual(lines[-3:], ['| good | passed | 1.2 | 3 | 0 | 0 |  |',
                                      '| bad | failed | 2.0 |  |  |  | out \\| of memory |',
                                      '| fine | passed | 0.0 |  |  |  |  |'])

    def test_a_run_that_did_not_begin_says_so_first(self):
        lines = summary.text(dict(GAVE, refused='there is no GPU')).splitlines()
        self.assertEqual(lines[2], '**Nothing was run**: there is no GPU')

    def test_the_end_of_a_run_tells_the_verdicts(self):
        self.assertEqual(summary.told(GAVE).splitlines(), [
            '',
            'met           under 1 %', '              0.4 %',
            'not met       all', '              bad: failed', '',
            'promises: 1 met, 1 not met', 'programs: 2 passed, 1 failed'])
        self.assertEqual(summary.told(dict(GAVE, results=[])).splitlines()[-1], 'programs: nothing was run')

    def test_a_run_begins_with_what_it_runs_on(self):
        gave = dict(GAVE, driver='/usr/lib/driver', gpus=1, libraries={'libx.so.2': '/b', 'liba.so.1': '/a'})
        self.assertEqual(summary.machine_text(gave, '| A GPU |').splitlines(), [
            'commit abc, 1 GPUs', 'driver in /usr/lib/driver', 'libraries:', '  liba.so.1 in /a',
            '  libx.so.2 in /b', '| A GPU |'])

    def test_both_files_are_written(self):
        summary.write(os.environ['TEST_TMPDIR'], GAVE)
        with open(os.path.join(os.environ['TEST_TMPDIR'], 'summary.json'), encoding='utf-8') as stream:
            self.assertEqual(json.load(stream), GAVE)
        with open(os.path.join(os.environ['TEST_TMPDIR'], 'summary.md'), encoding='utf-8') as stream:
            self.assertEqual(stream.read(), summary.text(GAVE))


if __name__ == '__main__':
    xml_unittest.main()
