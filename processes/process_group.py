"""Processes that surely end: each leads its own group, which is ended with it.

    status = run(["pip", "install", "x"], 60, stdout=log)     # None where that took longer

    group = ProcessGroup(["train"], stdout=subprocess.PIPE)
    try:
        group.has_ended(30)
    finally:
        status, cpu_seconds = group.end(grace=2)

A ProcessGroup is what its leader started and did not move elsewhere. Whatever moved away is found by a mark in its
environment (`marked`), wherever it went, unless it was started without environment.
"""

import os
import select
import signal
import subprocess

# Of a log, as shown in errors.
LAST_LINES, LAST_BYTES = 5, 2000
# Of a process that starts others faster than they can be ended.
_MOST_ROUNDS = 100


class ProcessGroup:
    """A started process, the leader of its group and session: Ctrl-C at the terminal does not reach it.

    `ended` becomes readable when the leader ends. `options` are subprocess.Popen's. Errors: OSError of the constructor
    where the command cannot be started. The caller always calls `end` or `collect`; processes that left the
    group are not found.
    """

    def __init__(self, command, **options):
        self._process = subprocess.Popen(command, start_new_session=True, **options)
        self.number = self._process.pid
        self.stdin, self.stdout = self._process.stdin, self._process.stdout
        self._cpu = 0.0
        try:
            self.ended = os.pidfd_open(self.number)
        except OSError:
            self._process.kill()
            self._process.wait()
            raise

    def has_ended(self, seconds=None):
        """Whether the leader ends within so many seconds; waits forever without them."""
        return bool(select.select([self.ended], [], [], seconds)[0])

    def end(self, grace):
        """Ends what is left: closes its stdin, sends SIGTERM, and SIGKILL after `grace` seconds; as `collect`."""
        if self._process.returncode is None:
            if not self.has_ended(0):
                if self.stdin:
                    self.stdin.close()
                self._signal(signal.SIGTERM)
                self.has_ended(grace)
            self.kill()  # also children that the leader left
        return self.collect()

    def kill(self):
        """Sends SIGKILL to what is left of the group."""
        self._signal(signal.SIGKILL)

    def collect(self):
        """Waits for the leader alone; (status, CPU seconds).

        The status is as subprocess gives it. CPU seconds, user and system, are those of the leader and of the children
        that it waited for.
        """
        if self._process.returncode is None:
            _, status, usage = os.wait4(self.number, 0)
            self._process.returncode = os.waitstatus_to_exitcode(status)
            self._cpu = usage.ru_utime + usage.ru_stime
            os.close(self.ended)
            for pipe in filter(None, (self.stdin, self.stdout)):
                pipe.close()
        return self._process.returncode, self._cpu

    def _signal(self, number):
        # Until it is waited for, the leader is there, if as a zombie, and the group's number is not another's.
        try:
            os.killpg(self.number, number)
        except ProcessLookupError:
            pass


def run(command, seconds=None, **options):
    """The status with which the command ends, None where it takes longer; nothing of its group is left.

    `options` are subprocess.Popen's. Errors: OSError where the command cannot be started.
    """
    group = ProcessGroup(command, **options)
    in_time = False
    try:
        in_time = group.has_ended(seconds)
    finally:
        status, _ = group.end(0)
    return status if in_time else None


def marked(name, value):
    """Numbers of all processes with the environment variable `name` of that value, zombies apart."""
    wanted = f"{name}={value}".encode()
    return [int(process) for process in filter(str.isdigit, os.listdir("/proc")) if wanted in _environment(process)]


def end_marked(name, value):
    """Kills them, and those that they start meanwhile."""
    for _ in range(_MOST_ROUNDS):
        found = marked(name, value)
        if not found:
            return
        for process in found:
            try:
                os.kill(process, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass  # it has ended, or runs as another user by now


def _environment(process):
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []  # it has ended, or is another user's


def last_lines(path):
    """The last lines of a log, as one can show them; none where it was removed."""
    if not os.path.isfile(path):
        return []
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - LAST_BYTES))
        lines = file.read(LAST_BYTES).decode("utf-8", errors="replace").splitlines()
    shown = ["".join(each for each in line if each.isprintable()).strip() for line in lines]
    return [line for line in shown if line][-LAST_LINES:]
