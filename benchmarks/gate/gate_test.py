"""The program as a user starts it."""
import json
import os
import subprocess
import tempfile
import unittest

from benchmarks.gate import recording_file
from benchmarks.gate.calibration import Calibration
from benchmarks.gate.recording_testing import LOADED, MACHINE, jittered, recordings
from tools import xml_unittest

PROGRAM = os.path.abspath('benchmarks/gate/gate')


class GateTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.fonts = tempfile.mkdtemp(dir=os.environ.get('TEST_TMPDIR'))

    def judge(self, taken, calibration=None, *arguments):
        self.folder = tempfile.mkdtemp(dir=os.environ.get('TEST_TMPDIR'))
        with open(os.path.join(self.folder, 'r.json'), 'w', encoding='utf-8') as file:
            file.write(recording_file.to_text(taken, calibration))
        return self.run_gate('--judge=r.json', *arguments, BUILD_WORKING_DIRECTORY=self.folder)

    def run_gate(self, *arguments, **environment):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60,
                              env={**os.environ, 'MPLCONFIGDIR': self.fonts, **environment})

    def test_a_regression_exits_1_and_says_how_large(self):
        ran = self.judge(recordings(jittered(1.10, others=LOADED), seed=5))
        self.assertEqual((ran.returncode, ran.stderr), (1, ''))
        self.assertRegex(ran.stdout, r'^Train/a  cpu   \+10\.0 % \[\+\d\.\d, \+1\d\.\d\]  delta 3 %  REGRESSION\n')
        self.assertIn('Train/a  wall  NOT JUDGED: the machine was quiet in 0 of 4 recordings', ran.stdout)
        self.assertIn('Regression: Train/a takes 10.0 % more CPU time (exit status 1)', ran.stdout)

    def test_the_same_file_gives_the_same_bytes(self):
        taken = recordings(jittered(1.04))
        self.assertEqual(self.judge(taken).stdout, self.judge(taken).stdout)

    def test_fine_exits_0_and_names_what_it_would_have_seen(self):
        ran = self.judge(recordings(jittered(1.0)))
        self.assertEqual(ran.returncode, 0)
        self.assertIn('FINE: no slowdown of 6 % or more', ran.stdout)

    def test_undecided_exits_3(self):
        ran = self.judge(recordings(jittered(1.0, 3)))
        self.assertEqual(ran.returncode, 3)
        self.assertIn('3 recordings, the first look is at 4', ran.stdout)

    def test_writes_the_reports_that_are_asked_for(self):
        ran = self.judge(recordings(jittered(1.1)), None, '--json=v.json', '--markdown=v.md', '--html=v.html')
        self.assertEqual((ran.returncode, ran.stderr), (1, ''))
        self.assertEqual(sorted(os.listdir(self.folder)), ['r.json', 'v.html', 'v.json', 'v.md'])
        ran = self.judge(recordings(jittered(1.1)), None, '--json=-')
        self.assertEqual(json.loads(ran.stdout)['outcome'], 'regression')

    def test_a_report_that_cannot_be_written_ends_it_before_the_work(self):
        ran = self.run_gate('--judge=/no/such.json', '--html=/no/such.html')
        self.assertEqual((ran.returncode, ran.stdout), (2, ''))
        self.assertIn('such.html', ran.stderr)

    def test_gates_add_to_a_history_that_can_be_told_alone(self):
        self.judge(recordings(jittered(1.0)), None, '--history=h.jsonl')
        with open(os.path.join(self.folder, 'h.jsonl'), 'a', encoding='utf-8') as file:
            file.write('torn')
        arguments = '--judge=r.json', '--history=h.jsonl', '--html=v.html'
        with open(os.path.join(self.folder, 'r.json'), 'w', encoding='utf-8') as file:
            file.write(recording_file.to_text(recordings(jittered(1.1), seed=1)))
        ran = self.run_gate(*arguments, '--note=float64 now', BUILD_WORKING_DIRECTORY=self.folder)
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stderr, r'^\[history\] .*h\.jsonl: skipped line 3: not JSON\n$')
        with open(os.path.join(self.folder, 'v.html'), encoding='utf-8') as file:
            self.assertIn('Gates against this baseline', file.read())
        ran = self.run_gate('--history=h.jsonl', '--markdown=h.md', '--html=h.html',
                            BUILD_WORKING_DIRECTORY=self.folder)
        self.assertEqual((ran.returncode, ran.stderr), (0, ''))
        self.assertRegex(ran.stdout, r'^h\.jsonl: 2 gates, ')
        self.assertRegex(ran.stdout, r'\n  Train/a  cpu   \+10\.0 % \[.*\]  REGRESSION  b2 of ')
        self.assertIn('  float64 now\n', ran.stdout)
        self.assertTrue({'h.html', 'h.md'} < set(os.listdir(self.folder)))

    def test_a_history_that_cannot_be_added_to_ends_it_before_the_work(self):
        for path in (os.path.dirname(self.fonts), '/no/such/history'):
            ran = self.run_gate('--judge=/no/such.json', f'--history={path}')
            self.assertEqual((ran.returncode, ran.stdout), (2, ''))
            self.assertIn(path, ran.stderr)
        ran = self.run_gate('--history=/no/such/history')
        self.assertEqual((ran.returncode, ran.stdout), (2, ''))
        self.assertIn('[history] /no/such/history: No such file', ran.stderr)

    def test_what_cannot_be_judged_exits_2_with_one_line(self):
        other = Calibration({**MACHINE, 'cores': 64}, {})
        for ran in (self.judge(recordings(jittered(1.0)), other), self.run_gate('--judge=/no/such.json')):
            self.assertEqual((ran.returncode, ran.stdout, ran.stderr.count('\n')), (2, '', 1))

    def test_usage_exits_2(self):
        self.assertEqual(self.run_gate().returncode, 2)
        self.assertEqual(self.run_gate('--help').returncode, 0)


if __name__ == '__main__':
    xml_unittest.main()
