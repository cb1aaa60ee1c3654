"""What is done to a worker, by name: killed, stopped, slowed, cut off."""

import signal
import time

from benchmarks.faults import socket_cut


class Killed:
    """By SIGKILL: it says nothing, the system closes its connections."""

    wakes = False  # whether it is to find out by itself, too, what became of the job

    def __init__(self, job, target):
        self._target = job.workers[target]

    def begin(self):
        self._target.signal(signal.SIGKILL)

    def tick(self):
        """To be called now and then; the seconds until the next time."""
        return 1.0

    def end(self):
        pass


class Stopped(Killed):
    """By SIGSTOP: its connections stay, and it does not answer. It goes on when the others have ended."""

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
    """Nothing that it sends to another worker arrives, nor the other way round; it runs on."""

    wakes = True
    PERIOD = 0.02  # so long may a new connection live

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
