"""What the gate calls on recordings of a real program on a real machine (testdata/README.md)."""
import math
import os
import random
import unittest

from benchmarks.gate import ratios, recording_check, recording_file, resampling, verdict
from benchmarks.gate.recording import Recording, Schedule, Steps
from benchmarks.gate.verdict import Outcome
from tools import xml_unittest

GATES = 300
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'testdata')


def load(name):
    return recording_check.check(recording_file.load(os.path.join(FOLDER, f'recordings_{name}.json'))[0])


def deltas(taken):
    return {(entry, metric): 0.03 for entry in taken.entry_names() for metric in taken.metrics}


def shares(taken, slowdowns, seed=1, budget=math.inf):
    results, _, _ = resampling.run(resampling.pairs_of(taken), deltas(taken), Schedule().looks, slowdowns, GATES,
                                   random.Random(seed), budget=budget)
    return {result: count / GATES for result, count in results.items()}


class ResamplingTest(unittest.TestCase):
    def setUp(self):
        self.busy, self.mixed = load('busy'), load('mixed')

    def test_the_same_program_raises_no_alarm(self):
        for taken in (self.busy, self.mixed):
            found = shares(taken, {})
            self.assertLessEqual(found.get('regression', 0), 0.005)
            self.assertLessEqual(found.get('undecided', 0), 0.01)

    def test_slowdowns_of_twice_delta_are_found_at_either_entry(self):
        for taken in (self.busy, self.mixed):
            for entry in taken.entry_names():
                found = shares(taken, {(entry, 'cpu'): 0.06, (entry, 'wall'): 0.06})
                self.assertGreaterEqual(found['regression'], 0.95)
                self.assertLessEqual(found.get('undecided', 0), 0.01)

    def test_where_time_is_short_the_last_look_is_at_what_there_is(self):
        # Seven or eight recordings of the busy machine fit, and the planned looks are at 6 and 9.
        everything = dict.fromkeys(deltas(self.busy), 0.06)
        found = shares(self.busy, everything, budget=40)
        self.assertGreaterEqual(found['regression'], 0.95)
        self.assertEqual(shares(self.busy, {}, budget=40).get('regression', 0), 0)

    def test_speedups_raise_no_alarm(self):
        found = shares(self.busy, dict.fromkeys(deltas(self.busy), -0.10))
        self.assertEqual(found.get('regression', 0), 0)

    def test_waits_on_a_busy_machine_are_not_judged(self):
        waits = {(entry, 'wall'): 0.15 for entry in self.busy.entry_names()}
        self.assertEqual(shares(self.busy, waits), {'fine, wall not judged': 1.0})

    def test_the_same_seed_draws_the_same_gates(self):
        slow = dict.fromkeys(deltas(self.busy), 0.03)
        self.assertEqual(shares(self.busy, slow), shares(self.busy, slow))
        self.assertNotEqual(shares(self.busy, slow), shares(self.busy, slow, seed=2))

    def test_scaled_steps_are_what_the_draws_add(self):
        first = self.busy.recordings[0]
        slower = {name: Steps(tuple(1.06 * each for each in steps.cpu), steps.wall)
                  for name, steps in first.candidate.entries.items()}
        half = first.candidate
        scaled = Recording(first.first, first.baseline, type(half)(slower, half.elapsed, half.own, half.busy))
        plain, changed = (ratios.of(each, self.busy.schedule, 2).values for each in (first, scaled))
        for (entry, metric), value in plain.items():
            added = 0.0582689081239758 if metric == 'cpu' else 0.0  # the log of 1.06
            self.assertAlmostEqual(changed[entry, metric] - value, added, places=12)

    def test_the_recordings_themselves_are_fine(self):
        for taken in (self.busy, self.mixed):
            self.assertEqual(verdict.judge(taken).outcome, Outcome.FINE)


if __name__ == '__main__':
    xml_unittest.main()
