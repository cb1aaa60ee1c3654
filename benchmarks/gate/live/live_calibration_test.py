"""Calibrations as a user makes and uses them, on a program that tells what it likes about its steps."""
import json
import os
import shlex
from unittest import mock

from benchmarks.gate.live import calibration_run
from benchmarks.gate.live.live_gate_testing import LiveGateCase
from tools import xml_unittest


class LiveCalibrationTest(LiveGateCase):
    def setUp(self):
        super().setUp()
        fewer = mock.patch.object(calibration_run, 'GATES', 100)
        fewer.start()
        self.addCleanup(fewer.stop)

    def calibrate(self, *options, words=()):
        return self.run_gate('--calibrate', f'--baseline={shlex.join(self.program(*words))}', '--arguments=',
                             '--looks=4,6', '--seed=3', *options)

    def kept(self):
        folder = self.path('cache/lockstep')
        return [os.path.join(folder, name) for name in os.listdir(folder)] if os.path.exists(folder) else []

    def test_a_calibration_says_what_gates_here_find_and_later_gates_use_it(self):
        one = '--entries=Train/replicas:1'
        ran = self.calibrate('--record=c.json', words=(one + ',Train/replicas:2',))
        self.assertEqual((ran.returncode, ran.stderr), (0, ''))
        self.assertRegex(ran.stdout, r'^6 recordings of a program against itself in \d+ s; ')
        self.assertRegex(ran.stdout, r'Train/replicas:1  cpu   0\.0 % +3 %\n')
        self.assertRegex(ran.stdout, r'Train/replicas:1  wall  not measured: fewer than 4 quiet recordings  3 %\n')
        self.assertRegex(ran.stdout, r'\nnothing +0\.0 +0\.0 +100\.0 +0\.0 +0\n')
        self.assertRegex(ran.stdout, r'\ntwice delta +100\.0 +0\.0 +0\.0 +0\.0 +0\n')
        for replicas in (1, 2):
            self.assertIn(f'Planted 240 us, 6 % of a step of Train/replicas:{replicas}: REGRESSION, '
                          '+6.0 % [+6.0, +6.0] at 4 recordings', ran.stdout)
        [path] = self.kept()
        self.assertIn(f'Kept in {path}: gates on this machine use it.', ran.stdout)
        self.assertEqual(len(self.recorded('c.json').recordings), 6)
        # As if this machine had been noisy.
        self.noisier(path, 0.04)
        gate = self.gate('--looks=4,6', '--record=r.json', '--seed=1', baseline=(one,), candidate=(one, '--slower=7'))
        self.assertEqual(gate.returncode, 0, gate.stdout)
        self.assertIn('delta 8.33 % (raised)', gate.stdout)
        self.assertIn('half-widths here: 4.1 to 4.1 % in CPU time', gate.stdout)
        self.assertEqual(self.run_gate('--judge=r.json').stdout, gate.stdout)

    def noisier(self, path, half_width):
        with open(path, encoding='utf-8') as file:
            content = json.load(file)
        for each in content['half_widths']:
            each['half_width'] = half_width
        with open(path, 'w', encoding='utf-8') as file:
            json.dump(content, file)

    def test_a_calibration_that_cannot_be_used_is_told_and_can_be_done_without(self):
        self.calibrate('--calibration=c.json')
        self.assertEqual(self.kept(), [])
        with open(self.path('c.json'), encoding='utf-8') as file:
            content = json.load(file)
        with open(self.path('other.json'), 'w', encoding='utf-8') as file:
            json.dump({**content, 'machine': {**content['machine'], 'cores': 999}}, file)
        with open(self.path('broken.json'), 'w', encoding='utf-8') as file:
            file.write('{"format": 1')
        looks = '--looks=4,6'
        for options, told in (((looks, '--calibration=other.json'), 'another machine: cores 999; wanted '),
                              ((looks, '--calibration=broken.json'), '--calibrate makes it anew, --calibration=none'),
                              ((looks, '--calibration=no/such.json'), 'No such file'),
                              (('--calibration=c.json',), 'calibration of another schedule')):
            ran = self.gate(*options)
            self.assertEqual((ran.returncode, ran.stdout), (2, ''))
            self.assertIn(told, ran.stderr)
        self.assertEqual(self.gate(looks, '--calibration=c.json').returncode, 0)
        # The user's own is found by what it is of, and a broken one is not passed over.
        self.calibrate()
        [path] = self.kept()
        with open(path, 'w', encoding='utf-8') as file:
            file.write('{')
        self.assertIn(path, self.gate(looks).stderr)
        self.assertEqual(self.gate(looks, '--calibration=none').returncode, 0)
        self.assertEqual(self.gate('--looks=4,7').returncode, 0)  # another schedule, another file
        self.assertEqual(self.calibrate().returncode, 0)
        self.assertEqual(self.gate(looks).returncode, 0)

    def test_a_program_that_plants_nothing_is_calibrated_without(self):
        ran = self.calibrate('--calibration=none', words=('--unplanted', '--entries=Train/replicas:1'))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn('seems to know no --plant_work_us', ran.stderr)
        self.assertTrue(ran.stdout.endswith('Not kept.\n'))
        self.assertEqual(self.kept(), [])

    def test_a_calibration_needs_its_time(self):
        ran = self.calibrate('--budget=2', words=('--misbehave=slow',))
        self.assertEqual((ran.returncode, ran.stdout), (2, ''))
        self.assertRegex(ran.stderr, r'\[calibrate\] [01] recordings in the 2 s of the budget; wanted 6')


if __name__ == '__main__':
    xml_unittest.main()
