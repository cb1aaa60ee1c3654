"""The command line: what it gives, and what it refuses with what words."""
import contextlib
import io
import unittest

from benchmarks.gate.live import gate_options
from tools import xml_unittest

BOTH = ('--baseline=a', '--candidate=b')


class GateOptionsTest(unittest.TestCase):
    def refused(self, words, *arguments):
        with contextlib.redirect_stderr(io.StringIO()) as error, self.assertRaises(SystemExit) as ended:
            gate_options.parse(arguments)
        self.assertEqual(ended.exception.code, 2)
        self.assertIn(words, error.getvalue())

    def test_without_options_it_is_the_usual_gate(self):
        options = gate_options.parse(BOTH)
        self.assertEqual((options.delta, options.metrics, options.require, options.budget, options.again),
                         (None, None, None, 180.0, False))

    def test_numbers_may_have_their_unit(self):
        options = gate_options.parse([*BOTH, '--delta=5%', '--budget=90s', '--looks=2,3,8'])
        self.assertEqual((options.delta, options.budget, options.looks), (0.05, 90.0, (2, 3, 8)))
        self.assertEqual(gate_options.parse([*BOTH, '--delta=0.5']).delta, 0.005)

    def test_metrics_stand_in_one_order(self):
        options = gate_options.parse([*BOTH, '--metrics=wall,cpu', '--require=wall'])
        self.assertEqual((options.metrics, options.require), (('cpu', 'wall'), ('wall',)))

    def test_what_is_to_be_done_is_one_thing(self):
        self.refused('wanted --baseline, or --judge, or --history alone')
        self.refused('wanted --baseline, or --judge, or --history alone', '--candidate=a')
        self.refused('--judge judges a file; --record runs something', '--judge=a', '--record=b')
        self.refused('--judge judges a file; --baseline runs something', '--judge=a', '--baseline=b')
        self.refused('--again goes on with the recordings of --record', *BOTH, '--again')
        self.refused('unrecognized arguments: --bud=5', *BOTH, '--bud=5')

    def test_a_calibration_is_of_one_program(self):
        options = gate_options.parse(['--calibrate', '--baseline=a b'])
        self.assertEqual((options.candidate, options.budget), ('a b', 600.0))
        self.assertEqual(gate_options.parse(['--calibrate', '--baseline=a', '--budget=30']).budget, 30.0)
        self.refused('--calibrate wanted --baseline', '--calibrate')
        for option in ('--candidate=b', '--judge=r', '--json=v', '--html=p', '--markdown=m', '--history=h'):
            self.refused(f'{option.split("=")[0]} is for a gate', '--calibrate', '--baseline=a', option)
        self.refused('--again goes on with a gate', '--calibrate', '--baseline=a', '--record=r', '--again')

    def test_a_history_alone_is_told_and_not_added_to(self):
        self.assertTrue(gate_options.is_history(gate_options.parse(['--history=h', '--html=-'])))
        for gate in (BOTH, ['--judge=r']):
            self.assertFalse(gate_options.is_history(gate_options.parse([*gate, '--history=h', '--note=accepted'])))
        self.refused('--json writes a verdict', '--history=h', '--json=v')
        self.refused('--record records a gate', '--history=h', '--record=r')
        self.refused('--note is a note in a --history', '--history=h', '--note=accepted')
        self.refused('--note is a note in a --history', *BOTH, '--note=accepted')
        self.refused("'-'; wanted the name of a file", *BOTH, '--history=-')

    def test_values_that_mean_nothing(self):
        for option in ('--delta=0', '--delta=51', '--delta=nan', '--delta=-1', '--delta=3 %'):
            self.refused('wanted a number from 0.1 to 50', *BOTH, option)
        for option in ('--budget=ever', '--budget=0', '--budget=inf'):
            self.refused('wanted a number from 1 to 86400', *BOTH, option)
        for option in ('--metrics=gpu', '--metrics=', '--require=cpu,gpu'):
            self.refused('wanted some of cpu,wall', *BOTH, option)
        for option in ('--looks=6,4', '--looks=1,4', '--looks=4,4', '--looks=', '--looks=4,x'):
            self.refused('wanted rising numbers from 2 on', *BOTH, option)
        for option in ('--turn=0', '--turn=1.5', '--turn=-3'):
            self.refused('wanted a whole number from 1 on', *BOTH, option)
        for label in ('', 'benchmarks:scaling', '--output_base=x', '//a b', '//a:b:c'):
            self.refused('wanted the label of a program, as //benchmarks:scaling', *BOTH, f'--target={label}')
        for option in ('--baseline', '--candidate', '--judge', '--record', '--arguments'):
            self.refused(f'{option} has no value', *BOTH, f'{option}=--')
        self.refused('--require names a metric that --metrics leaves out', *BOTH, '--metrics=wall', '--require=cpu')

    def test_help_has_examples(self):
        with contextlib.redirect_stdout(io.StringIO()) as text, self.assertRaises(SystemExit) as ended:
            gate_options.parse(['--help'])
        self.assertEqual(ended.exception.code, 0)
        self.assertIn('./bazelw run //benchmarks:gate -- --baseline=', text.getvalue())


if __name__ == '__main__':
    xml_unittest.main()
