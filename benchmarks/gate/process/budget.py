"""A program's time: a budget that bounds every wait, signals that ask it to stop, and its progress on the terminal.

with Interruption() as interruption:
    budget = Budget(60, interruption)
    ready = budget.wait([file], 5)  # BudgetSpent after a minute in all, Interrupted after Ctrl-C
"""

import os
import select
import signal
import sys
import time

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Seconds between two lines of progress: writing them is work too.
INTERVAL = 0.2


class BudgetSpent(Exception):
    """The time that the program may take is over."""


class Interrupted(Exception):
    """The program was interrupted. `exit_status` is the one that shells expect."""

    def __init__(self, number):
        super().__init__(signal.Signals(number).name)
        self.exit_status = 128 + number


class Interruption:
    """A context manager that keeps the first signal to stop instead of raising at an arbitrary place.

    `file` becomes readable then. Signals that are ignored (as by nohup) stay so.
    """

    def __init__(self):
        self.number = None

    def __enter__(self):
        self.file, self._written = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        wanted = [each for each in STOP_SIGNALS if signal.getsignal(each) != signal.SIG_IGN]
        self._before = {each: signal.signal(each, self._keep) for each in wanted}
        return self

    def __exit__(self, *_):
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self.file)
        os.close(self._written)

    def _keep(self, number, _):
        if self.number is None:
            self.number = number
            os.write(self._written, b"!")


class Budget:
    """Waits that end with the budget, with an Interruption, or with what they wait for.

    `seconds`: the budget, from now on (infinite: none).
    """

    def __init__(self, seconds, interruption=None, clock=time.monotonic):
        self.seconds = seconds
        self._interruption, self._clock = interruption, clock
        self._start = clock()

    def used(self):
        """Seconds since the start."""
        return self._clock() - self._start

    def left(self):
        """Seconds of the budget that are left, 0 where none are."""
        return max(0.0, self.seconds - self.used())

    def check(self):
        """Errors: Interrupted, BudgetSpent."""
        if self._interruption and self._interruption.number is not None:
            raise Interrupted(self._interruption.number)
        if self.left() <= 0:
            raise BudgetSpent

    def wait(self, files, seconds):
        """Those of the files that can be read, [] where none can within so many seconds.

        Errors: Interrupted, BudgetSpent.
        """
        watched = [*files, self._interruption.file] if self._interruption else files
        ready = select.select(watched, [], [], max(0.0, min(seconds, self.left())))[0]
        self.check()
        return ready


class Progress:
    """What a program is doing, on a line of the terminal that is written over; nothing where `stream` is no terminal.

    `stream`: a text file, stderr unless given.
    """

    def __init__(self, stream=None, clock=time.monotonic):
        self._stream = stream or sys.stderr
        self._clock = clock
        self._shown, self._last = False, -INTERVAL

    def show(self, text):
        """Replaces the line, if the last one is old enough."""
        if self._stream.isatty() and self._clock() - self._last >= INTERVAL:
            self._stream.write(f"\r\x1b[K{text}")
            self._stream.flush()
            self._shown, self._last = True, self._clock()

    def say(self, text):
        """A line that stays, on any stream."""
        self.clear()
        self._stream.write(text + "\n")
        self._stream.flush()

    def clear(self):
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown, self._last = False, -INTERVAL
