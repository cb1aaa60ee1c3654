"""A testee as a process: lines go to it, lines come from it, each in its time."""
import collections
import os
import queue
import signal
import subprocess
import tempfile
import threading

LONGEST_LINE = 16 << 20  # docs/protocol.md
_END = None


class Silence(Exception):
    """It said nothing in time."""


class Ended(Exception):
    """It closed its stdout; `status` is None where the process lives on."""

    def __init__(self, status):
        super().__init__(describe_end(status))
        self.status = status


def describe_end(status):
    """In words: "ended with status 3", "was killed by SIGSEGV"."""
    if status is None:
        return "closed its stdout and lives on"
    if status < 0:
        return f"was killed by {signal.Signals(-status).name}"
    return f"ended with status {status}"


class TesteeProcess:
    """Starts the command in a process group and an empty folder of its own; a context manager that kills it.

    Errors: OSError when it cannot be started.
    """

    def __init__(self, command):
        self._folder = tempfile.TemporaryDirectory(prefix="lockstep-", ignore_cleanup_errors=True)
        self._lines = queue.Queue()
        self._stderr = collections.deque(maxlen=10)
        self._process = subprocess.Popen(
            command, cwd=self._folder.name, env=os.environ | {"TMPDIR": self._folder.name}, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._stderr_reader = threading.Thread(target=self._read_stderr, daemon=True)
        for reader in (threading.Thread(target=self._read_stdout, daemon=True), self._stderr_reader):
            reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # all of the group has ended
        self._process.wait()
        self._folder.cleanup()

    def send(self, line):
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # read tells how it ended

    def close_stdin(self):
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            pass

    def read(self, deadline):
        """The next line without its end, as bytes. Raises Silence or Ended."""
        try:
            line = self._lines.get(timeout=deadline)
        except queue.Empty:
            raise Silence from None
        if line is _END:
            self._lines.put(_END)  # for whoever reads again
            raise Ended(self.wait(min(1, deadline)))
        return line

    def wait(self, deadline):
        """Its status, negative for a signal; None when it lives on.

        Where it has ended, its last words have been read too, unless a child of its own keeps stderr open.
        """
        try:
            status = self._process.wait(deadline)
        except subprocess.TimeoutExpired:
            return None
        self._stderr_reader.join(1)
        return status

    def last_words(self):
        """The last lines of its stderr so far."""
        return [line.decode(errors="replace").rstrip("\n") for line in self._stderr]

    def _read_stdout(self):
        while line := self._process.stdout.readline(LONGEST_LINE + 1):
            self._lines.put(line.removesuffix(b"\n"))
            if len(line) > LONGEST_LINE:
                break
        self._lines.put(_END)

    def _read_stderr(self):
        for line in self._process.stderr:
            self._stderr.append(line)
