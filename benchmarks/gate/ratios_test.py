"""From steps to log ratios: what counts, what is dropped, and when the machine was quiet."""
import math
import unittest

import numpy as np

from benchmarks.gate import ratios
from benchmarks.gate.recording import Half, Recording, Schedule, Steps
from benchmarks.gate.recording_testing import half
from tools import xml_unittest

SCHEDULE = Schedule(turn=4, warmup=5, behind_switch=1, looks=(4,))


class SliceTest(unittest.TestCase):
    def test_every_step_counts_once_and_dropped_ones_never(self):
        # Turns begin at 0, 4, 8, 12; those at 0 and 4 begin within the first 5 steps. Of the others the first step is
        # dropped. The middle ones of three are the second and third turn's 3.0 and 8.0.
        candidate = [99.0] * 8 + [99.0, 2.0, 3.0, 70.0] + [99.0, 8.0, 9.0, 1.0]
        slices = ratios.slice_ratios([1.0] * 16, candidate, SCHEDULE)
        np.testing.assert_allclose(slices, [math.log(3.0), math.log(8.0)], rtol=1e-15)

    def test_median_of_an_even_number_of_steps_lies_between_the_middle_ones(self):
        schedule = Schedule(turn=3, warmup=0, behind_switch=1, looks=(4,))
        slices = ratios.slice_ratios([1.0, 1.0, 1.0], [9.0, 2.0, 4.0], schedule)
        np.testing.assert_allclose(slices, [math.log(3.0)])

    def test_75_steps_in_turns_of_15_have_three_used_slices(self):
        self.assertEqual(len(ratios.slice_ratios([1.0] * 75, [1.0] * 75, Schedule())), 3)

    def test_slower_is_positive(self):
        self.assertGreater(ratios.slice_ratios([1.0] * 16, [1.1] * 16, SCHEDULE)[0], 0)


class PairTest(unittest.TestCase):
    def pair(self, candidate, schedule):
        baseline = (1.0,) * len(candidate)
        return ratios.of(Recording('baseline',
                                   Half({'x': Steps(baseline, baseline)}, 1, 1, 1),
                                   Half({'x': Steps(candidate, candidate)}, 1, 1, 1)), schedule, 2)

    def test_cpu_is_the_mean_of_slices_and_wall_their_median(self):
        schedule = Schedule(turn=1, warmup=0, behind_switch=0, looks=(4,))
        values = self.pair((math.exp(0.1), math.exp(0.2), math.exp(0.6)), schedule).values
        self.assertAlmostEqual(values['x', 'cpu'], 0.3, places=14)
        self.assertAlmostEqual(values['x', 'wall'], 0.2, places=14)

    def test_repeated_slices_are_no_new_units(self):
        schedule = Schedule(turn=1, warmup=0, behind_switch=0, looks=(4,))
        once = self.pair((1.1, 1.2), schedule)
        repeated = self.pair((1.1, 1.2) * 10, schedule)
        self.assertEqual(len(repeated.values), len(once.values))
        self.assertAlmostEqual(repeated.values['x', 'cpu'], once.values['x', 'cpu'], places=14)


class LoadTest(unittest.TestCase):
    def share(self, elapsed, own, busy):
        return ratios.others_share(Half({}, elapsed, own, busy), cores=2)

    def test_others_share_is_what_the_process_did_not_use(self):
        self.assertAlmostEqual(self.share(10.0, 8.0, 13.0), 0.25)

    def test_more_own_time_than_the_machine_counted_is_none_of_others(self):
        self.assertEqual(self.share(1.0, 1.02, 1.0), 0.0)

    def test_unknown_without_proc_stat_or_within_few_ticks(self):
        self.assertIsNone(self.share(10.0, 8.0, None))
        self.assertIsNone(self.share(0.19, 0.1, 0.1))
        self.assertIsNotNone(self.share(0.2, 0.1, 0.1))

    def test_one_loaded_half_is_enough(self):
        for loads, quiet in (((0.0, 0.0), True), ((0.04, 0.049), True), ((0.0, 0.06), False), ((0.06, 0.0), False)):
            recording = Recording('baseline', half(1, 1, loads[0]), half(1, 1, loads[1]))
            self.assertEqual(ratios.of(recording, Schedule(), 2).quiet, quiet, loads)

    def test_wall_time_of_a_loaded_recording_is_not_usable(self):
        pairs = [ratios.PairRatios({('x', 'cpu'): 1.0, ('x', 'wall'): 2.0}, share) for share in (0.01, 0.3, None)]
        self.assertEqual(ratios.usable(pairs, 'x', 'cpu'), [1.0] * 3)
        self.assertEqual(ratios.usable(pairs, 'x', 'wall'), [2.0])


if __name__ == '__main__':
    xml_unittest.main()
