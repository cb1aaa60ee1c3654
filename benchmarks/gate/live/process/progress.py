"""What a program is doing, on a line of the terminal that is written over; nothing where stderr is no terminal."""
import sys
import time

# Seconds between two lines: writing them is work too.
INTERVAL = 0.2


class Progress:
    """`stream`: a text file, stderr unless given."""

    def __init__(self, stream=None, clock=time.monotonic):
        self._stream = stream or sys.stderr
        self._clock = clock
        self._shown, self._last = False, -INTERVAL

    def show(self, text):
        """Replaces the line, if the last one is old enough."""
        if self._stream.isatty() and self._clock() - self._last >= INTERVAL:
            self._stream.write(f'\r\x1b[K{text}')
            self._stream.flush()
            self._shown, self._last = True, self._clock()

    def say(self, text):
        """A line that stays, on any stream."""
        self.clear()
        self._stream.write(text + '\n')
        self._stream.flush()

    def clear(self):
        if self._shown:
            self._stream.write('\r\x1b[K')
            self._stream.flush()
            self._shown, self._last = False, -INTERVAL


def time_left(done, most, used, budget):
    """'at most 54 s left' of `most` recordings of which `done` took `used` seconds, in a budget of seconds."""
    left = budget - used
    if done:
        left = min(left, (most - done) * used / done)
    return f'at most {max(0.0, left):.0f} s left'
