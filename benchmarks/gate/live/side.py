"""One side of a gate while it runs: its process, whole or in turns, and each way in which it can fail, a class each.

A process in turns follows the pacing protocol of docs/formats.md: it prints `turn <CPU seconds so far>` before its
first step and after each turn, and continues when it can read a line. Any other behaviour becomes one of these errors
within a bounded time.
"""

import dataclasses
import math
import os
import re
import shlex
import signal
import subprocess
import time

from benchmarks.gate.process.child_process import LARGEST_LOG, ChildProcess, LogTooLong
from benchmarks.gate.recording import GateError
from processes.process_group import last_lines

WRONG_USAGE = 2
TURN = re.compile(rb"turn (\d+(?:\.\d+)?)\s*")
# Without a line end in so many bytes, what is printed is no text.
LONGEST_LINE = 1 << 20
WITHOUT_TURNS = (
    "ended without a `turn` line. A program that takes no turns must exit with 2 on --pace;"
    " see docs/formats.md, Taking turns"
)


class SideError(GateError):
    """A side that nothing can be recorded of.

    `side`: 'baseline' or 'candidate'. The message says what happened and to which command, followed by the last
    lines of the process's stderr.
    """

    def __init__(self, side, what, command, last_lines=()):
        self.side = side
        self.last_lines = tuple(last_lines)
        super().__init__("\n  ".join([f"[{side}] {what}: {shlex.join(command)}", *last_lines]))


class SideCrashed(SideError):
    """It did not start, or ended with a status other than 0 or by a signal."""


class SideSilent(SideError):
    """It neither answered nor ended within its deadline."""


class UnknownOption(SideError):
    """It ended with status 2 before anything else, as programs do that do not know an option."""


class ProtocolError(SideError):
    """It does not speak the pacing protocol (docs/formats.md)."""


class ResultError(SideError):
    """It ended well, but its result is missing, incomplete, or has too few fields."""


@dataclasses.dataclass(frozen=True)
class Deadlines:
    """Seconds until a process is ready for its first turn, for a turn, for its end; from SIGTERM to SIGKILL; and for a
    process that takes no turns."""

    start: float = 120.0
    turn: float = 60.0
    end: float = 60.0
    grace: float = 2.0
    whole: float = 600.0


class SideProcess(ChildProcess):
    """A ChildProcess whose failures are SideErrors.

    `side`: 'baseline' or 'candidate'. Errors: SideCrashed of the constructor where the command does not start.
    """

    def __init__(self, side, command, log, budget, deadlines=Deadlines(), **options):
        self.side, self.command = side, command
        self._log, self._deadlines = log, deadlines
        try:
            super().__init__(command, log, budget, deadlines.grace, **options)
        except OSError as error:
            raise SideCrashed(side, f"does not start ({error.strerror})", command) from error

    def wait(self, files, seconds):
        """As Budget.wait. Errors: ProtocolError, too, for one that writes to stderr without end."""
        try:
            return super().wait(files, seconds)
        except LogTooLong:
            self._fail(ProtocolError, f"wrote more than {LARGEST_LOG} bytes to stderr")

    def _check_status(self, status, place, early):
        """Errors: UnknownOption, where `early` says that it can be that, and SideCrashed, for a status other than 0."""
        if status != 0:
            kind = UnknownOption if status == WRONG_USAGE and early else SideCrashed
            self._fail(kind, f"{_how_it_ended(status)} {place}".rstrip())

    def _fail(self, kind, what):
        raise kind(self.side, what, self.command, last_lines(self._log))


class WholeProcess(SideProcess):
    """One that runs to its end without turns."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **options)

    def finish(self):
        """Waits for its end, with status 0; CPU seconds of it and of the children that it waited for.

        Errors: SideCrashed, UnknownOption, SideSilent, and those of Budget.wait.
        """
        seconds = self._deadlines.whole
        if not self.wait([self.ended], seconds):
            self._fail(SideSilent, f"did not end within {seconds:g} s")
        status, cpu = self.stop()
        self._check_status(status, "", early=True)
        return cpu


class PacedProcess(SideProcess):
    """One that takes turns. Errors of its functions: SideCrashed, SideSilent, UnknownOption, ProtocolError, and those
    of Budget.wait."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        self.turns, self._buffer, self._cpu_so_far = 0, b"", 0.0

    def wait_until_ready(self):
        """Until it says that its first turn may begin."""
        if self._next_turn(self._deadlines.start) is None:
            self._fail(ProtocolError, WITHOUT_TURNS)

    def take_turn(self):
        """Lets it run until it hands over; CPU seconds of its turn, or None where it ended, with status 0, instead."""
        self.turns += 1
        try:
            self.stdin.write(b"\n")
        except BrokenPipeError:
            pass  # it ended, or reads no more: what it does next says which
        return self._next_turn(self._deadlines.turn)

    def _next_turn(self, seconds):
        limit = time.monotonic() + seconds
        while (line := self._read_line(limit, seconds)) is not None:
            if line.split(b" ")[0].strip() == b"turn":
                return self._spent(line)
        self._wait_for_end()
        return None

    def _spent(self, line):
        match = TURN.fullmatch(line)
        now = float(match.group(1)) if match else math.nan
        if not now >= self._cpu_so_far:
            printed = line[:80].decode(errors="replace")
            self._fail(
                ProtocolError,
                f"printed {printed!r}; wanted `turn` and its CPU seconds so far, at least {self._cpu_so_far}",
            )
        self._cpu_so_far, spent = now, now - self._cpu_so_far
        return spent

    def _read_line(self, limit, seconds):
        """The next line of stdout; None at its end, which is the process's too where that left others behind."""
        while b"\n" not in self._buffer:
            ready = self.wait([self.stdout, self.ended], limit - time.monotonic())
            if not ready or time.monotonic() > limit:
                self._fail(SideSilent, f"gave no sign within {seconds:g} s {self._place()}")
            more = os.read(self.stdout.fileno(), 1 << 16) if self.stdout in ready else b""
            if not more:
                return None
            self._buffer += more
            if len(self._buffer) > LONGEST_LINE and b"\n" not in self._buffer:
                self._fail(ProtocolError, f"printed {len(self._buffer)} bytes without a line end")
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _wait_for_end(self):
        seconds = self._deadlines.end
        if not self.wait([self.ended], seconds):
            self._fail(SideSilent, f"closed its output and did not end within {seconds:g} s {self._place()}")
        status, _ = self.stop()
        self._check_status(status, self._place(), early=not self.turns)

    def _place(self):
        return f"in turn {self.turns}" if self.turns else "before its first turn"


def _how_it_ended(status):
    """'ended with exit status 3' or 'was killed by SIGSEGV', of a status as subprocess gives it."""
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"
