"""One recording of two processes: what is in it, and the pairs of which there is none."""
import unittest

from benchmarks.gate.live import paced_recording
from benchmarks.gate.live.place import Place
from benchmarks.gate.live.process.patience import BudgetSpent, Patience
from benchmarks.gate.live.process.process_testing import ProcessTest
from benchmarks.gate.live.process.side_error import ResultError, SideCrashed, SideSilent
from benchmarks.gate.live.process.side_process import Deadlines
from benchmarks.gate.live.turn_order import first_sides
from benchmarks.gate.recording import SIDES, GateError
from tools import xml_unittest

# For one that misbehaves in the first turn of all: no right turn has to be as short on a busy machine.
SHORT = Deadlines(start=30, turn=0.3, end=30, grace=0.2)


class PacedRecordingTest(ProcessTest):
    def take(self, baseline=(), candidate=(), first='baseline', deadlines=Deadlines(grace=0.2), **options):
        place = Place(self.folder, {}, deadlines, **{name: options.pop(name) for name in ('stat',) if name in options})
        commands = {side: self.program('--pace=15', f'--json={place.result(side)}', *words)
                    for side, words in zip(SIDES, (baseline, candidate))}
        return paced_recording.take(commands, first, 15, place, options.pop('patience', Patience(60)), **options)

    def refused(self, kind, words, *both, **options):
        for baseline, candidate in (((), both), (both, ())):
            with self.assertRaisesRegex(kind, words):
                self.take(baseline, candidate, **options)

    def test_has_every_step_of_both_sides(self):
        recording, compiler = self.take(candidate=('--slower=50', '--waits=10'), first='candidate')
        self.assertEqual((recording.first, compiler), ('candidate', 'example 1.0'))
        self.assertEqual(recording.baseline.entries['Train/a'].cpu, (4.0,) * 60)
        self.assertEqual(recording.candidate.entries['Train/a'].cpu, (6.0,) * 60)
        for time in recording.candidate.entries['Train/a'].wall:
            self.assertAlmostEqual(time, 2.0 * 1.5 * 1.1, places=9)

    def test_own_time_is_that_of_the_turns_alone(self):
        recording, _ = self.take()
        self.assertAlmostEqual(recording.candidate.own, 60 * 0.004, places=6)
        self.assertGreater(recording.candidate.elapsed, 0)
        self.assertIsNotNone(recording.candidate.busy)

    def test_the_sides_take_turns_in_turns(self):
        order = []

        class Watched(paced_recording.PacedProcess):
            def take_turn(self):
                order.append(self.side)
                return super().take_turn()
        before, paced_recording.PacedProcess = paced_recording.PacedProcess, Watched
        self.addCleanup(setattr, paced_recording, 'PacedProcess', before)
        self.take(('--steps=45',), ('--steps=45',), first='candidate')
        self.assertEqual(order, ['candidate', 'baseline', 'baseline', 'candidate'] * 2)

    def test_without_proc_stat_the_load_is_unknown(self):
        recording, _ = self.take(stat='/no/such')
        self.assertIsNone(recording.baseline.busy)
        self.assertIsNone(recording.candidate.busy)

    def test_different_sides_are_refused_by_name(self):
        self.refused(GateError, r'entries: .*Train/b', '--entries=Train/b')
        self.refused(GateError, 'seed of Train/a: ', '--seed=43')
        self.refused(GateError, 'data.source: ', '--images=full')
        self.refused(GateError, r'turns: (baseline|candidate) 4, (baseline|candidate) 5 and more; wanted as many',
                     '--steps=75')
        self.refused(GateError, 'options.steps: ', '--steps=59')

    def test_whole_turns_only(self):
        both = ('--steps=50',)
        with self.assertRaisesRegex(GateError, '50 steps in 4 turns; wanted epochs of whole turns of 15 steps'):
            self.take(both, both)

    def test_a_crash_on_either_side_is_that_sides(self):
        for side, words in (('baseline', (('--misbehave=exit',), ())), ('candidate', ((), ('--misbehave=exit',)))):
            with self.assertRaises(SideCrashed) as caught:
                self.take(*words)
            self.assertEqual(caught.exception.side, side)

    def test_a_side_that_hangs_ends_the_recording(self):
        hangs = ('--misbehave=hang_on', '--in_turn=1')
        for side, both in (('baseline', (hangs, ())), ('candidate', ((), hangs))):
            with self.assertRaisesRegex(SideSilent, rf'\[{side}\] gave no sign within 0.3 s in turn 1'):
                self.take(*both, first=side, deadlines=SHORT)

    def test_children_of_a_side_end_with_it(self):
        self.take(candidate=('--misbehave=stray',))

    def test_no_recording_without_whole_results(self):
        for kind, words in (('none', 'wrote no result'), ('incomplete', 'incomplete'), ('no_json', 'wrote no result'),
                            ('empty', 'wrote no result'), ('no_steps', 'tells no times'), ('twice', 'an entry twice'),
                            ('fewer', 'steps of Train/a: ')):
            self.refused(GateError, words, f'--result={kind}')

    def test_the_result_of_an_earlier_recording_is_not_taken(self):
        self.take()
        self.refused(ResultError, 'there is none', '--result=none')

    def test_the_budget_ends_it_within_a_turn(self):
        with self.assertRaises(BudgetSpent):
            self.take(candidate=('--misbehave=hang',), patience=Patience(1))

    def test_tells_how_far_it_is(self):
        told = []
        self.take(tell=told.append)
        self.assertEqual(told, [1, 2, 3, 4])


class FirstSidesTest(unittest.TestCase):
    def sides(self, seed, count=200):
        sides = first_sides(seed)
        return [next(sides) for _ in range(count)]

    def test_of_two_in_a_row_each_begins_one(self):
        sides = self.sides(5)
        for pair in zip(sides[::2], sides[1::2]):
            self.assertEqual(set(pair), set(SIDES))

    def test_chance_says_which_and_the_seed_says_what_chance_says(self):
        begins = self.sides(5)[::2].count('baseline')
        self.assertTrue(30 <= begins <= 70, begins)  # 4 standard deviations of 100 coins
        self.assertEqual(self.sides(5), self.sides(5))
        self.assertNotEqual(self.sides(5), self.sides(6))


if __name__ == '__main__':
    xml_unittest.main()
