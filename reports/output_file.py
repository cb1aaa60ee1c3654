"""A file that a report is written to: whole or not at all."""

import errno
import os
import stat
import sys


class OutputFile:
    """Where a report goes, looked at before the work begins.

    A regular file is replaced when everything is written, behind symbolic links; a
    device, a pipe and /dev/stdout are written through. "-" is the standard output;
    no path means that nothing is wanted, and `write` does nothing.
    Errors: OSError, of the constructor where the path cannot be written.
    """

    def __init__(self, path):
        self._descriptor = sys.stdout.fileno() if path == "-" else _descriptor(path)
        self._path = None if path in (None, "-") else os.path.realpath(path)
        if self._path and self._descriptor is None:
            self._check()

    def _check(self):
        folder = os.path.dirname(self._path)
        if os.path.isdir(self._path):
            _fail(errno.EISDIR, self._path)
        if not os.path.isdir(folder):
            _fail(errno.ENOENT, self._path)
        if not os.access(self._path if self._is_special() else folder, os.W_OK):
            _fail(errno.EACCES, self._path)

    def _is_special(self):
        return os.path.exists(self._path) and not stat.S_ISREG(os.stat(self._path).st_mode)

    def write(self, content):
        """Writes text, or bytes."""
        data = content if isinstance(content, bytes) else content.encode("utf-8")
        if self._descriptor is not None:
            sys.stdout.flush()
            with open(self._descriptor, "wb", closefd=False) as file:
                file.write(data)
        elif self._path and self._is_special():
            with open(self._path, "wb") as file:
                file.write(data)
        elif self._path:
            self._replace(data)

    def _replace(self, data):
        aside = f"{self._path}.tmp-{os.getpid()}"
        try:
            with open(aside, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(aside, self._path)
        except BaseException:
            if os.path.exists(aside):
                os.remove(aside)
            raise


def _fail(number, path):
    raise OSError(number, os.strerror(number), path)


def _descriptor(path):
    """The open descriptor that the path names, as /dev/stdout does; else None."""
    opened = os.path.realpath("/proc/self/fd")
    for _ in range(40 if path else 0):  # as many links as Linux follows
        folder, name = os.path.split(path)
        if name.isdigit() and os.path.realpath(folder) == opened:
            return int(name)
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None
