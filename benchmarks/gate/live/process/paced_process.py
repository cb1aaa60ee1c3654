"""One side's process that waits for its turns: the pacing protocol of docs/formats.md, seen from the gate.

The process prints `turn <CPU seconds so far>` before its first step and after each turn, and goes on when it can read a
line. Whatever it does instead is one of the errors of side_error.py within a bounded time.
"""
import math
import os
import re
import subprocess
import time

from benchmarks.gate.live.process import side_error
from benchmarks.gate.live.process.side_process import SideProcess

TURN = re.compile(rb'turn (\d+(?:\.\d+)?)\s*')
# Without a line end in so many bytes, what is printed is no text.
LONGEST_LINE = 1 << 20


class PacedProcess(SideProcess):
    """One that takes turns. Errors of its functions: SideCrashed, SideSilent, UnknownOption, ProtocolError, and those
    of Patience.wait."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        self.turns, self._buffer, self._cpu = 0, b'', 0.0

    def wait_until_ready(self):
        """Until it says that its first turn may begin."""
        if self._next_turn(self._deadlines.start) is None:
            self._fail(side_error.ProtocolError, 'ended without a `turn` line')

    def take_turn(self):
        """Lets it run until it hands over; CPU seconds of its turn, or None where it ended, with status 0, instead."""
        self.turns += 1
        try:
            self._group.stdin.write(b'\n')
        except BrokenPipeError:
            pass  # it ended, or reads no more: what it does next says which
        return self._next_turn(self._deadlines.turn)

    def _next_turn(self, seconds):
        limit = time.monotonic() + seconds
        while (line := self._read_line(limit, seconds)) is not None:
            if line.split(b' ')[0].strip() == b'turn':
                return self._spent(line)
        self._wait_for_end()
        return None

    def _spent(self, line):
        match = TURN.fullmatch(line)
        now = float(match.group(1)) if match else math.nan
        if not now >= self._cpu:
            printed = line[:80].decode(errors='replace')
            self._fail(side_error.ProtocolError,
                       f'printed {printed!r}; wanted `turn` and its CPU seconds so far, at least {self._cpu}')
        self._cpu, spent = now, now - self._cpu
        return spent

    def _read_line(self, limit, seconds):
        """The next line of stdout; None at its end, which is the process's too where that left others behind."""
        while b'\n' not in self._buffer:
            ready = self._wait([self._group.stdout, self._group.ended], limit - time.monotonic())
            if not ready or time.monotonic() > limit:
                self._fail(side_error.SideSilent, f'gave no sign within {seconds:g} s {self._place()}')
            more = os.read(self._group.stdout.fileno(), 1 << 16) if self._group.stdout in ready else b''
            if not more:
                return None
            self._buffer += more
            if len(self._buffer) > LONGEST_LINE and b'\n' not in self._buffer:
                self._fail(side_error.ProtocolError, f'printed {len(self._buffer)} bytes without a line end')
        line, _, self._buffer = self._buffer.partition(b'\n')
        return line

    def _wait_for_end(self):
        seconds = self._deadlines.end
        if not self._wait([self._group.ended], seconds):
            self._fail(side_error.SideSilent, f'closed its output and did not end within {seconds:g} s {self._place()}')
        status, _ = self.stop()
        self._check_status(status, self._place(), early=not self.turns)

    def _place(self):
        return f'in turn {self.turns}' if self.turns else 'before its first turn'
