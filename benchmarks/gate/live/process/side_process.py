"""One side's process: started with its last words kept, judged by how it ends, and surely gone afterwards."""
import dataclasses
import os
import secrets
import subprocess
import time

from benchmarks.gate.live.process import marked_processes, side_error
from benchmarks.gate.live.process.process_group import ProcessGroup

# Of stderr, as shown in errors.
LAST_LINES, LAST_BYTES = 5, 2000
WRONG_USAGE = 2
# The environment variable by which all that a side started is found.
MARK = 'LOCKSTEP_GATE_SIDE'
# Bytes of stderr that nobody reads, and how often (seconds) it is looked at: else it fills the disk.
LARGEST_LOG, LOOK_EVERY = 64 << 20, 0.2


@dataclasses.dataclass(frozen=True)
class Deadlines:
    """Seconds until a process is ready for its first turn, for a turn, for its end; from SIGTERM to SIGKILL; and for a
    process that takes no turns."""
    start: float = 120.0
    turn: float = 60.0
    end: float = 60.0
    grace: float = 2.0
    whole: float = 600.0


class SideProcess:
    """A context manager: on its exit neither the process nor anything that it started is left, unless that was started
    outside of its group and without its environment.

    `side`: 'baseline' or 'candidate'. `log`: a path for stderr. `options` are subprocess.Popen's. Errors: SideCrashed
    of the constructor where the command does not start.
    """

    def __init__(self, side, command, log, patience, deadlines=Deadlines(), **options):
        self.side, self.command = side, command
        self._log, self._patience, self._deadlines = log, patience, deadlines
        self._mark = secrets.token_hex(8)
        options['env'] = {**(options.get('env') or os.environ), MARK: self._mark}
        self._stderr = open(log, 'wb')
        try:
            self._group = ProcessGroup(command, stderr=self._stderr, bufsize=0, **options)
        except OSError as error:
            self._stderr.close()
            raise side_error.SideCrashed(side, f'does not start ({error.strerror})', command) from error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Ends what is left of it; (status, CPU seconds)."""
        ended = self._group.end(self._deadlines.grace)
        if not self._stderr.closed:
            marked_processes.end_all(MARK, self._mark)
            self._stderr.close()
        return ended

    def _wait(self, files, seconds):
        """As Patience.wait. Errors: ProtocolError, too, for one that writes to stderr without end."""
        limit = time.monotonic() + seconds
        while True:
            ready = self._patience.wait(files, min(LOOK_EVERY, limit - time.monotonic()))
            if os.fstat(self._stderr.fileno()).st_size > LARGEST_LOG:
                self._fail(side_error.ProtocolError, f'wrote more than {LARGEST_LOG} bytes to stderr')
            if ready or time.monotonic() >= limit:
                return ready

    def _check_status(self, status, place, early):
        """Errors: UnknownOption, where `early` says that it can be that, and SideCrashed, for a status other than 0."""
        if status == WRONG_USAGE and early:
            self._fail(side_error.UnknownOption, f'{side_error.how_it_ended(status)} {place}'.rstrip())
        if status != 0:
            self._fail(side_error.SideCrashed, f'{side_error.how_it_ended(status)} {place}'.rstrip())

    def _fail(self, kind, what):
        raise kind(self.side, what, self.command, last_lines(self._log))


class WholeProcess(SideProcess):
    """One that runs to its end without turns."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **options)

    def wait(self):
        """Waits for its end, with status 0; CPU seconds of it and of the children that it waited for.

        Errors: SideCrashed, UnknownOption, SideSilent, and those of Patience.wait.
        """
        seconds = self._deadlines.whole
        if not self._wait([self._group.ended], seconds):
            self._fail(side_error.SideSilent, f'did not end within {seconds:g} s')
        status, cpu = self.stop()
        self._check_status(status, '', early=True)
        return cpu


def last_lines(path):
    """The last lines of a text file, as one can show them; none where it was removed."""
    if not os.path.isfile(path):
        return []
    with open(path, 'rb') as file:
        file.seek(max(0, os.path.getsize(path) - LAST_BYTES))
        lines = file.read(LAST_BYTES).decode('utf-8', errors='replace').splitlines()
    shown = [''.join(each for each in line if each.isprintable()).strip() for line in lines]
    return [line for line in shown if line][-LAST_LINES:]
