"""Faults of a worker, by name: killed, stopped, slowed, cut off."""

import signal
import time

from benchmarks.faults import socket_cut


class Killed:
    """By SIGKILL: it sends nothing more, and the system closes its connections."""

    wakes = False  # whether the worker itself must notice how the job ended

    def __init__(self, job, target):
        self._target = job.workers[target]

    def begin(self):
        self._target.signal(signal.SIGKILL)

    def tick(self):
        """Called regularly; returns the seconds until the next call."""
        return 1.0

    def end(self):
        pass


class Stopped(Killed):
    """By SIGSTOP: its connections stay, but it does not answer. It continues when the others have ended."""

    wakes = True

    def begin(self):
        self._target.signal(signal.SIGSTOP)

    def end(self):
        self._target.signal(signal.SIGCONT)


class Slowed(Killed):
    """Stopped and woken by turns: it runs a quarter of the time."""

    wakes = True
    STOPPED, RUNS = 0.03, 0.01

    def __init__(self, job, target):
        super().__init__(job, target)
        self._stopped, self._next = False, 0.0

    def begin(self):
        self.tick()

    def tick(self):
        now = time.monotonic()
        if now >= self._next:
            self._stopped = not self._stopped
            self._target.signal(signal.SIGSTOP if self._stopped else signal.SIGCONT)
            self._next = now + (self.STOPPED if self._stopped else self.RUNS)
        return self._next - now

    def end(self):
        self._target.signal(signal.SIGCONT)


class CutOff(Killed):
    """No message between it and other workers arrives; it keeps running."""

    wakes = True
    PERIOD = 0.02  # seconds that a new connection may live

    def __init__(self, job, target):
        super().__init__(job, target)
        self._others = [worker for worker in job.workers if worker is not self._target]

    def begin(self):
        self.tick()

    def tick(self):
        if self._target.running:
            socket_cut.cut(self._target.number, [worker.number for worker in self._others if worker.running])
        return self.PERIOD


FAULTS = {"killed": Killed, "stopped": Stopped, "slowed": Slowed, "cut_off": CutOff}
