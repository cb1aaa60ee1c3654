"""Turns training steps into samples of images a second."""

import time


class BlockClock:
    """A warm-up, then blocks of equal length, each a sample of images/s.

    With warmup 2, steps 3, blocks 2 the clock starts after step 2, and steps 5 and 8
    each close a block. `training_steps` is then 8. Steps that are done several at a
    time must not straddle the end of a block.
    """

    def __init__(self, arguments, epoch_images, now=time.perf_counter):
        self._now = now
        self._warmup = arguments.warmup
        self._steps = arguments.steps
        self._block_images = arguments.steps * arguments.global_batch_size
        self._epoch_images = epoch_images
        self._done = 0
        self._started = self._now()
        self.training_steps = arguments.warmup + arguments.steps * arguments.blocks
        self.samples = []

    def steps_done(self, count=1):
        """Call when the results of `count` more steps are there."""
        before, self._done = self._done - self._warmup, self._done + count
        timed = self._done - self._warmup
        if timed > 0 and max(before, -1) // self._steps != (timed - 1) // self._steps:
            raise ValueError(f"{count} steps at a time straddle a block's end")
        if timed >= 0 and timed % self._steps == 0:
            self._close(self._block_images if timed > 0 else 0)

    def epoch_done(self):
        """Call when a whole epoch is done; the first includes the start-up."""
        self._close(self._epoch_images)

    def _close(self, images):
        now = self._now()
        if images:
            self.samples.append(images / (now - self._started))
        self._started = now
