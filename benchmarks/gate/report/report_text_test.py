"""The text of a verdict for a terminal."""
import dataclasses
import shlex
import unittest

from benchmarks.gate import recording_file, verdict
from benchmarks.gate.calibration import Calibration
from benchmarks.gate.recording import Schedule, Side
from benchmarks.gate.recording_testing import LOADED, MACHINE, jittered, pair, recordings
from benchmarks.gate.report import report_text
from tools import xml_unittest


def render(taken, calibration=None):
    return report_text.render(verdict.judge(taken, calibration), taken)


def fact(text, label):
    """What stands behind a label; None where it is not told."""
    found = [line[2 + len(label):].strip() for line in text.splitlines() if line.startswith(f'  {label}  ')]
    return found[0] if found else None


class ReportTextTest(unittest.TestCase):
    def test_a_line_a_test_in_columns(self):
        taken = recordings([pair(ratio, names=('Train/a', 'Train/longer')) for ratio in (1.1, 1.101, 1.1, 1.099)])
        lines = render(taken).splitlines()
        self.assertRegex(lines[0], r'^Train/a       cpu   \+10\.0 % \[\+9\.\d, \+10\.\d\]  delta 3 %  REGRESSION$')
        self.assertRegex(lines[3], r'^Train/longer  wall  \+10\.0 % \[\+9\.\d, \+10\.\d\]  delta 3 %  REGRESSION$')
        self.assertEqual(lines[4], 'Regression: Train/a takes 10.0 % more CPU time, the most of 4 slowdowns '
                                   '(exit status 1)')

    def test_what_it_rests_on(self):
        side = Side(('train', '--name=two words'), 'b2')
        text = render(recordings(jittered(1.1, others=LOADED), seed=5, candidate=side))
        self.assertEqual(fact(text, 'recordings'), '4 of 28 looked at (at most 28), 0 of them on a quiet machine, 8 s')
        self.assertEqual(fact(text, "others' share"), 'median 50 % of the cores, 50 to 50 %; quiet is up to 5 %')
        self.assertEqual(fact(text, 'method'), 'paced: two processes that handed the machine over after every 15 steps')
        self.assertEqual(fact(text, 'seed'), '5')
        self.assertEqual(fact(text, 'baseline'), 'train at a1')
        self.assertEqual(fact(text, 'candidate'), "train '--name=two words' at b2")
        self.assertEqual(fact(text, 'machine'), 'cpu Example CPU, cores 2')
        for label in ('both sides', 'stopped', 'delta'):
            self.assertIsNone(fact(text, label))

    def test_the_range_of_the_load_is_that_of_the_recordings_looked_at(self):
        pairs = [pair(1.1, others=share) for share in (0.0, 0.1, 0.4, 0.3, 0.9)]
        self.assertEqual(fact(render(recordings(pairs)), "others' share"),
                         'median 20 % of the cores, 0 to 40 %; quiet is up to 5 %')

    def test_an_unknown_load_is_said_to_be_that(self):
        pairs = [dataclasses.replace(each, baseline=dataclasses.replace(each.baseline, busy=None))
                 for each in jittered(1.0)]
        self.assertEqual(fact(render(recordings(pairs)), "others' share"), 'unknown')

    def test_wall_time_that_is_not_judged_is_explained(self):
        loaded = render(recordings(jittered(1.0, others=LOADED)))
        self.assertIn('NOT JUDGED: the machine was quiet in 0 of 4 recordings, 4 are wanted', loaded)
        self.assertIn('not judged is not fine', fact(loaded, 'wall time'))
        self.assertRegex(loaded, r'\]  delta 3 %  FINE')  # its reason makes no column wider
        self.assertIsNone(fact(render(recordings(jittered(1.0))), 'wall time'))

    def test_a_raised_delta_is_told_with_its_reason(self):
        text = render(recordings(jittered(1.0)), Calibration(MACHINE, {('Train/a', 'cpu'): 0.02}))
        self.assertIn('delta 4.08 % (raised)', text)
        self.assertIn('raised to 4.08 % for Train/a cpu: twice the half-width', fact(text, 'delta'))
        self.assertIn('FINE: no slowdown of 8.16 % or more', text)
        asked = render(recordings(jittered(1.0), delta=0.05))
        self.assertIn('  delta 5 %  FINE: no slowdown of 10 % or more', asked)
        self.assertIsNone(fact(asked, 'delta'))

    def test_a_gate_that_stopped_early_says_why(self):
        for stopped, words in (('budget', 'the time that it may take (--budget) was over'), ('other', 'other')):
            text = render(recordings(jittered(1.0, 3), stopped=stopped))
            self.assertEqual(fact(text, 'stopped'), words)
            self.assertIn(f'Undecided: 3 recordings, the first look is at 4; {words} (exit status 3)\n', text)

    def test_of_benchmarks_it_is_told_which_and_what_of_them(self):
        text = render(recordings(jittered(1.0), method='benchmark', entry='a|b', cpu_field='own_us'))
        self.assertEqual((fact(text, 'benchmarks'), fact(text, 'CPU time')), ('a|b', 'own_us'))
        self.assertIsNone(fact(render(recordings(jittered(1.0))), 'benchmarks'))

    def test_a_program_against_itself_is_said_to_be_that(self):
        same = Side(('train', '--fast'))
        for changes in ({'baseline': same, 'candidate': same}, {'same_program': True}):
            taken = recordings(jittered(1.0), **changes)
            self.assertEqual(fact(render(taken), 'both sides'), 'the same program (A/A)')

    def test_a_built_side_is_repeated_by_its_commit(self):
        def repeat(*built, label='//benchmarks:scaling'):
            sides = {name: Side((label,), commit) for name, commit in built}
            text = fact(render(recordings(jittered(1.0, 4), **sides)), 'repeat')
            return [word for word in shlex.split(text) if word.startswith(('--base', '--cand', '--target'))]
        self.assertEqual(repeat(('baseline', 'a1'), ('candidate', 'b2')), ['--baseline=a1', '--candidate=b2'])
        self.assertEqual(repeat(('baseline', 'a1'), ('candidate', 'b2+changes')), ['--baseline=a1'])
        self.assertEqual(repeat(('baseline', 'a1'), label='//a:b')[:2], ['--target=//a:b', '--baseline=a1'])

    def test_a_command_repeats_it(self):
        def words(**changes):
            return shlex.split(fact(render(recordings(jittered(1.0, 4), **changes)), 'repeat'))
        command = words(seed=7, baseline=Side(('a', "it's", 'two words')), arguments=('--x=y z',))
        self.assertEqual(command[:4], ['./bazelw', 'run', '//benchmarks:gate', '--'])
        self.assertEqual(command[4:], ["--baseline=a 'it'\"'\"'s' 'two words'", '--candidate=train',
                                       "--arguments='--x=y z'", '--seed=7'])
        self.assertEqual(
            words(metrics=('cpu',), delta=0.055, schedule=Schedule(turn=5, warmup=10, looks=(4, 8)))[8:],
            ['--turn=5', '--warmup=10', '--looks=4,8', '--delta=5.5', '--metrics=cpu'])
        self.assertEqual(words(required=('cpu', 'wall'))[8:], ['--require=cpu,wall'])
        # What a method makes of the first recording is no option.
        whole = Schedule(turn=60, warmup=0, behind_switch=20, looks=(8, 16, 24, 32))
        self.assertEqual(words(method='fresh', schedule=whole)[8:], [])
        self.assertEqual(words(method='fresh', schedule=dataclasses.replace(whole, behind_switch=5, looks=(4, 8)))[8:],
                         ['--warmup=5', '--looks=4,8'])
        self.assertEqual(words(method='benchmark', schedule=Schedule(5, 0, 1, (8, 16, 24, 32)), entry='a|b',
                               cpu_field='own_us')[8:], ['--entry=a|b', '--cpu_field=own_us'])

    def test_the_same_recordings_from_a_file_give_the_same_bytes(self):
        first, second = (render(recording_file.load('benchmarks/gate/testdata/recordings_mixed.json')[0])
                         for _ in range(2))
        self.assertEqual(first, second)


class HeadlineTest(unittest.TestCase):
    def headline(self, taken, calibration=None):
        lines = [line for line in render(taken, calibration).splitlines() if '(exit status' in line]
        self.assertEqual(len(lines), 1)
        return lines[0]

    def test_fine_names_what_it_would_have_seen(self):
        self.assertEqual(self.headline(recordings(jittered(1.0))),
                         'Fine: no slowdown of 6 % or more in CPU time and wall time (exit status 0)')
        self.assertEqual(self.headline(recordings(jittered(1.0, others=LOADED))),
                         'Fine: no slowdown of 6 % or more in CPU time; wall time not judged (exit status 0)')
        raised = Calibration(MACHINE, {('Train/a', 'cpu'): 0.02})
        self.assertIn('no slowdown of 8.16 % or more', self.headline(recordings(jittered(1.0)), raised))

    def test_fine_says_which_time_is_open(self):
        pairs = [pair(1.0, wall_ratio=ratio) for ratio in (1.2, 0.9, 1.1, 0.8) * 3]
        self.assertEqual(self.headline(recordings(pairs)),
                         'Fine: no slowdown of 6 % or more in CPU time; wall time undecided (exit status 0)')

    def test_undecided_says_why(self):
        for taken, wanted in (
                (recordings([]), 'nothing was recorded'),
                (recordings(jittered(1.0, 3)), '3 recordings, the first look is at 4'),
                (recordings(jittered(1.0, others=LOADED), required=('wall',)),
                 'wall time is required and could not be judged'),
                (recordings([pair(ratio) for ratio in (1.2, 0.9, 1.1, 0.8)]),
                 'after 4 recordings the bounds are too wide for 2 of 2 tests')):
            self.assertEqual(self.headline(taken), f'Undecided: {wanted} (exit status 3)')

    def test_one_slowdown_is_named(self):
        taken = recordings(jittered(1.0, wall_ratio=1.1))
        self.assertEqual(self.headline(taken), 'Regression: Train/a takes 10.0 % more wall time (exit status 1)')

    def test_of_many_slowdowns_the_largest_is_named(self):
        taken = recordings(jittered(1.1, wall_ratio=1.2))
        self.assertEqual(self.headline(taken), 'Regression: Train/a takes 20.0 % more wall time, the most of 2 '
                         'slowdowns (exit status 1)')

    def test_an_improvement_is_told_beside_its_test(self):
        self.assertIn('FINE: faster', render(recordings(jittered(0.9))))
        self.assertNotIn('faster', render(recordings(jittered(0.98))))


if __name__ == '__main__':
    xml_unittest.main()
