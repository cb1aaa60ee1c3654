"""A gate's child processes: waited for within a Budget, and surely gone afterwards, wherever they went.

with ChildProcess(['train', '--fast'], 'stderr.txt', Budget(60)) as child:
    if not child.wait([child.ended], 30):
        print('still running:', last_lines('stderr.txt'))
status, cpu_seconds = child.stop()
"""

import os
import secrets
import time

from processes.process_group import ProcessGroup, end_marked

# The environment variable by which all that a ChildProcess started is found.
MARK = "LOCKSTEP_CHILD"
# The largest stderr in bytes, and how often (seconds) it is checked: else it could fill the disk.
LARGEST_LOG, LOOK_EVERY = 64 << 20, 0.2


class LogTooLong(Exception):
    """A child wrote more than LARGEST_LOG bytes to stderr."""


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
