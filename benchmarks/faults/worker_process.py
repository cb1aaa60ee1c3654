"""One worker of a job: its process and its events, one line of JSON each on stdout (docs/formats.md)."""

import os
import subprocess
import time

from processes.process_group import ProcessGroup
from reports import json_text

# The environment variable by which all processes of a job are found, also those that a worker started.
MARK = "LOCKSTEP_FAULTS_JOB"


class WorkerProcess:
    """`log`: a file for its stderr. Errors: OSError where the command cannot be started.

    It leads a new group and session: Ctrl-C at the terminal does not reach it. The owner always calls `kill`.
    """

    def __init__(self, command, environment, log):
        self.spawned = time.monotonic()
        with open(log, "wb") as stderr:
            self._group = ProcessGroup(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, env=environment
            )
        self.number = self._group.number
        self._stdout = self._group.stdout.fileno()
        os.set_blocking(self._stdout, False)
        self.log = log
        self.events = []
        self.garbage = []  # lines that are no events
        self.status = None  # as subprocess has it; None while it runs
        self.ended_at = None
        self._rest = b""
        self._says_more = True

    @property
    def running(self):
        return self.status is None

    def files(self):
        """The files to wait for: its end and its stdout."""
        return ([self._group.ended] + [self._stdout] * self._says_more) if self.running else []

    def read(self, ready):
        """Reads its events, where one of the readable files is its."""
        if not self.running or not {self._group.ended, self._stdout} & set(ready):
            return
        self._take()
        if self._group.ended in ready:
            self._end()

    def signal(self, number):
        if self.running:
            os.kill(self.number, number)

    def kill(self):
        """Kills it with its process group. Processes that it left when it ended by itself are not touched."""
        if self.running:
            self._group.kill()
            self._end()

    def _end(self):
        self._group.has_ended()
        self.ended_at = time.monotonic()
        self._take()
        self.status, _ = self._group.collect()

    def _take(self):
        """All that is in the pipe, without waiting for its close: a child that it left may hold the other end."""
        while self._says_more:
            try:
                data = os.read(self._stdout, 1 << 16)
            except BlockingIOError:
                return
            self._says_more = bool(data)
            *lines, self._rest = (self._rest + data).split(b"\n")
            for line in lines:
                self._hear(line)

    def _hear(self, line):
        try:
            event = json_text.parse(line)
            well_formed = isinstance(event["event"], str) and isinstance(event["time"], float)
        except (ValueError, LookupError, TypeError):
            well_formed = False
        if well_formed:
            self.events.append(event)
        else:
            self.garbage.append(line.decode(errors="replace"))

    def count(self, name):
        """Its events of that name."""
        return sum(event["event"] == name for event in self.events)

    def last(self, name):
        """Its last event of that name, None without one."""
        return next((event for event in reversed(self.events) if event["event"] == name), None)
