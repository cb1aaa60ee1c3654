import argparse
import unittest

from tools import xml_unittest

from block_clock import BlockClock


class FakeTime:
    """A clock that moves only when told to."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


def arguments(warmup, steps, blocks):
    return argparse.Namespace(
        warmup=warmup, steps=steps, blocks=blocks, global_batch_size=64
    )


class BlockClockTest(unittest.TestCase):
    def setUp(self):
        self.time = FakeTime()

    def clock(self, warmup=2, steps=3, blocks=2):
        return BlockClock(arguments(warmup, steps, blocks), 1000, now=self.time)

    def test_warm_up_is_not_timed_and_each_block_is_a_sample(self):
        clock = self.clock()
        for seconds in (50, 50, 1, 1, 1, 2, 2, 2):
            self.time.seconds += seconds
            clock.steps_done()
        self.assertEqual(clock.training_steps, 8)
        self.assertEqual(clock.samples, [3 * 64 / 3, 3 * 64 / 6])

    def test_without_a_warm_up_the_first_block_starts_at_once(self):
        clock = self.clock(warmup=0)
        for _ in range(3):
            self.time.seconds += 2
            clock.steps_done()
        self.assertEqual(clock.samples, [32.0])

    def test_several_steps_at_a_time_count_like_single_ones(self):
        clock = self.clock(warmup=10, steps=20)
        for _ in range(5):
            self.time.seconds += 10
            clock.steps_done(10)
        self.assertEqual(clock.samples, [64.0, 64.0])

    def test_steps_across_the_end_of_a_block_are_refused(self):
        clock = self.clock(warmup=2, steps=3)
        with self.assertRaisesRegex(ValueError, "4 steps at a time straddle"):
            clock.steps_done(4)

    def test_within_the_warm_up_nothing_is_straddled(self):
        clock = self.clock(warmup=95, steps=5)
        for count in (10,) * 9 + (5, 5):
            self.time.seconds += count
            clock.steps_done(count)
        self.assertEqual(clock.samples, [64.0])

    def test_an_epoch_is_a_sample_of_all_its_images(self):
        clock = self.clock()
        self.time.seconds += 4
        clock.epoch_done()
        self.assertEqual(clock.samples, [250.0])


if __name__ == "__main__":
    xml_unittest.main()
