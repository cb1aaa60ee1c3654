"""A process with all that it starts in a group of its own, so that nothing of it is left behind."""
import os
import select
import signal
import subprocess


class ProcessGroup:
    """A started process, the leader of its group and session: Ctrl-C at the terminal does not reach it.

    `ended` becomes readable when the leader ends. `options` are subprocess.Popen's. Errors: OSError of the constructor
    where the command cannot be started. Whoever makes one calls `end` whatever happens; processes that left the group
    on their own are not found.
    """

    def __init__(self, command, **options):
        self._process = subprocess.Popen(command, start_new_session=True, **options)
        self._cpu = 0.0
        try:
            self.ended = os.pidfd_open(self._process.pid)
        except OSError:
            self._process.kill()
            self._process.wait()
            raise

    @property
    def number(self):
        return self._process.pid

    @property
    def stdin(self):
        return self._process.stdin

    @property
    def stdout(self):
        return self._process.stdout

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
            self._signal(signal.SIGKILL)  # also children that the leader left behind
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
