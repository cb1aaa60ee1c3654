"""Supervised child processes: started in a group of their own, waited for within a Budget, and surely gone afterwards.

    with ChildProcess(['train', '--fast'], 'stderr.txt', Budget(60)) as child:
        if not child.wait([child.ended], 30):
            print('still running:', last_lines('stderr.txt'))
    status, cpu_seconds = child.stop()

A ProcessGroup is what its leader started and did not move elsewhere. Whatever moved away is found by a mark in its
environment (`marked`), wherever it went, unless it was started without environment.
"""

import os
import secrets
import select
import signal
import subprocess
import time

# The environment variable by which all that a ChildProcess started is found.
MARK = "LOCKSTEP_CHILD"
# Bytes of stderr that nobody reads, and how often (seconds) it is looked at: else it fills the disk.
LARGEST_LOG, LOOK_EVERY = 64 << 20, 0.2
# Of a log, as shown in errors.
LAST_LINES, LAST_BYTES = 5, 2000
# Bazel gives these to a program that it runs and means that program's own files.
BAZELS_OWN = (
    "BUILD_WORKING_DIRECTORY",
    "BUILD_WORKSPACE_DIRECTORY",
    "JAVA_RUNFILES",
    "PYTHON_RUNFILES",
    "RUNFILES_DIR",
    "RUNFILES_MANIFEST_FILE",
    "RUNFILES_MANIFEST_ONLY",
    "TEST_SRCDIR",
)
# Of a process that starts others faster than they can be ended.
_MOST_ROUNDS = 100


class LogTooLong(Exception):
    """A child wrote more than LARGEST_LOG bytes to stderr."""


class ProcessGroup:
    """A started process, the leader of its group and session: Ctrl-C at the terminal does not reach it.

    `ended` becomes readable when the leader ends. `options` are subprocess.Popen's. Errors: OSError of the constructor
    where the command cannot be started. Whoever makes one calls `end` whatever happens; processes that left the group
    on their own are not found.
    """

    def __init__(self, command, **options):
        self._process = subprocess.Popen(command, start_new_session=True, **options)
        self.stdin, self.stdout = self._process.stdin, self._process.stdout
        self._cpu = 0.0
        try:
            self.ended = os.pidfd_open(self._process.pid)
        except OSError:
            self._process.kill()
            self._process.wait()
            raise

    def end(self, grace):
        """Ends what is left: closes its stdin, sends SIGTERM, and SIGKILL after `grace` seconds; (status, CPU seconds).

        The status is the leader's, as subprocess gives it. CPU seconds, user and system, are those of the leader and of
        the children that it waited for.
        """
        if self._process.returncode is None:
            # Until it is waited for, the leader is there, if as a zombie, and the group's number is not another's.
            if not self._has_ended(0):
                if self.stdin:
                    self.stdin.close()
                self._signal(signal.SIGTERM)
                self._has_ended(grace)
            self._signal(signal.SIGKILL)  # also children that the leader left
            _, status, usage = os.wait4(self._process.pid, 0)
            self._process.returncode = os.waitstatus_to_exitcode(status)
            self._cpu = usage.ru_utime + usage.ru_stime
            self._close()
        return self._process.returncode, self._cpu

    def _has_ended(self, seconds):
        return bool(select.select([self.ended], [], [], seconds)[0])

    def _signal(self, number):
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            pass

    def _close(self):
        os.close(self.ended)
        for pipe in (self.stdin, self.stdout):
            if pipe:
                pipe.close()


class ChildProcess(ProcessGroup):
    """A context manager: on its exit neither the process nor anything that it started is left, unless that was started
    outside of its group and without its environment.

    `log`: a path for stderr. `budget`: a Budget, with which every wait ends. `grace`: seconds from SIGTERM to SIGKILL.
    `options` are subprocess.Popen's. Errors: OSError of the constructor where the command does not start.
    """

    def __init__(self, command, log, budget, grace=2.0, **options):
        self._budget, self._grace, self._mark = budget, grace, secrets.token_hex(8)
        options["env"] = {**(options.get("env") or os.environ), MARK: self._mark}
        self._stderr = open(log, "wb")  # noqa: SIM115  (stop() closes it)
        try:
            super().__init__(command, stderr=self._stderr, bufsize=0, **options)
        except OSError:
            self._stderr.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Ends what is left of it; (status, CPU seconds), as ProcessGroup.end."""
        ended = self.end(self._grace)
        if not self._stderr.closed:
            end_marked(MARK, self._mark)
            self._stderr.close()
        return ended

    def wait(self, files, seconds):
        """As Budget.wait. Errors: LogTooLong, too."""
        limit = time.monotonic() + seconds
        while True:
            ready = self._budget.wait(files, min(LOOK_EVERY, limit - time.monotonic()))
            if os.fstat(self._stderr.fileno()).st_size > LARGEST_LOG:
                raise LogTooLong
            if ready or time.monotonic() >= limit:
                return ready


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


def users_folder(environment):
    """Where the user is, who may have come by `bazel run`."""
    return environment.get("BUILD_WORKING_DIRECTORY") or os.getcwd()


def surroundings(environment):
    """subprocess.Popen's options for a program of the user's: the user's folder, and the environment without what is
    this program's own."""
    kept = {name: value for name, value in environment.items() if name not in BAZELS_OWN}
    own = environment.get("RUNFILES_DIR")
    paths = environment.get("PYTHONPATH", "").split(os.pathsep)
    users = [path for path in paths if path and not (own and os.path.realpath(path).startswith(os.path.realpath(own)))]
    kept.pop("PYTHONPATH", None)
    if users:
        kept["PYTHONPATH"] = os.pathsep.join(users)
    return {"cwd": users_folder(environment), "env": kept}
