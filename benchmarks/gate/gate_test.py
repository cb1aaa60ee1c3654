"""The program as a user starts it."""
import os
import subprocess
import tempfile
import unittest

from benchmarks.gate import recording_file
from benchmarks.gate.calibration import Calibration
from benchmarks.gate.recording import Side
from benchmarks.gate.recording_testing import LOADED, MACHINE, jittered, recordings
from tools import xml_unittest

PROGRAM = os.path.abspath('benchmarks/gate/gate')


class GateTest(unittest.TestCase):
    def judge(self, taken, calibration=None):
        folder = tempfile.mkdtemp(dir=os.environ.get('TEST_TMPDIR'))
        with open(os.path.join(folder, 'r.json'), 'w', encoding='utf-8') as file:
            file.write(recording_file.to_text(taken, calibration))
        return self.run_gate('--judge=r.json', BUILD_WORKING_DIRECTORY=folder)

    def run_gate(self, *arguments, **environment):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60,
                              env={**os.environ, **environment})

    def test_a_regression_exits_1_and_says_how_large(self):
        ran = self.judge(recordings(jittered(1.10, others=LOADED), seed=5))
        self.assertEqual((ran.returncode, ran.stderr), (1, ''))
        self.assertRegex(ran.stdout, r'^Train/a  cpu  \+10\.0 % \[\+\d\.\d, \+1\d\.\d\]  delta 3 %  REGRESSION\n')
        self.assertIn('Train/a  wall  NOT JUDGED: the machine was quiet in 0 of 4 recordings', ran.stdout)
        self.assertIn('regression: 4 of 12 recordings looked at, 0 of them on a quiet machine; seed 5', ran.stdout)
        self.assertIn('candidate: train at b2', ran.stdout)

    def test_the_same_file_gives_the_same_bytes(self):
        taken = recordings(jittered(1.04))
        self.assertEqual(self.judge(taken).stdout, self.judge(taken).stdout)

    def test_fine_exits_0_and_names_what_it_would_have_seen(self):
        ran = self.judge(recordings(jittered(1.0)))
        self.assertEqual(ran.returncode, 0)
        self.assertIn('FINE: no slowdown of 6 % or more', ran.stdout)

    def test_an_improvement_is_told(self):
        self.assertIn('FINE: faster', self.judge(recordings(jittered(0.9))).stdout)

    def test_undecided_exits_3(self):
        ran = self.judge(recordings(jittered(1.0, 3)))
        self.assertEqual(ran.returncode, 3)
        self.assertIn('3 recordings, the first look is at 4', ran.stdout)

    def test_a_program_against_itself_is_said_to_be_that(self):
        same = Side(('train', '--fast'))
        self.assertIn('same program (A/A)', self.judge(recordings(jittered(1.0), baseline=same, candidate=same)).stdout)
        self.assertIn('same program (A/A)', self.judge(recordings(jittered(1.0), same_program=True)).stdout)
        self.assertNotIn('A/A', self.judge(recordings(jittered(1.0))).stdout)

    def test_a_raised_delta_is_told(self):
        ran = self.judge(recordings(jittered(1.0)), Calibration(MACHINE, {('Train/a', 'cpu'): 0.02}))
        self.assertIn('delta 4.08 % (raised: twice the half-width measured here)', ran.stdout)

    def test_what_cannot_be_judged_exits_2_with_one_line(self):
        other = Calibration({**MACHINE, 'cores': 64}, {})
        for ran in (self.judge(recordings(jittered(1.0)), other), self.run_gate('--judge=/no/such.json')):
            self.assertEqual((ran.returncode, ran.stdout, ran.stderr.count('\n')), (2, '', 1))

    def test_usage_exits_2(self):
        self.assertEqual(self.run_gate().returncode, 2)
        self.assertEqual(self.run_gate('--help').returncode, 0)


if __name__ == '__main__':
    xml_unittest.main()
