"""What a side can do wrong while a gate runs it: each kind a class, its message with the command and its last words."""
import shlex
import signal

from benchmarks.gate.recording import GateError


class SideError(GateError):
    """A side that nothing can be recorded of.

    `side`: 'baseline' or 'candidate'. The message says what happened and to which command; below it stand the last
    lines that the process wrote to stderr.
    """

    def __init__(self, side, what, command, last_lines=()):
        self.side = side
        self.last_lines = tuple(last_lines)
        super().__init__('\n  '.join([f'[{side}] {what}: {shlex.join(command)}', *last_lines]))


class SideCrashed(SideError):
    """It did not start, or ended with a status other than 0 or by a signal."""


class SideSilent(SideError):
    """It neither answered nor ended within its deadline."""


class UnknownOption(SideError):
    """It ended with status 2 before anything else, as programs do that do not know an option."""


class ProtocolError(SideError):
    """It does not speak the pacing protocol (docs/formats.md)."""


class ResultError(SideError):
    """It ended well, and its result is missing, incomplete, or lacks what is needed."""


def how_it_ended(status):
    """'ended with exit status 3' or 'was killed by SIGSEGV', of a status as subprocess gives it."""
    if status >= 0:
        return f'ended with exit status {status}'
    try:
        return f'was killed by {signal.Signals(-status).name}'
    except ValueError:
        return f'was killed by signal {-status}'
