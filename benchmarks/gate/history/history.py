"""The history of gates: a file to which each gate adds its lines.

Lines are only ever added. Of a gate that is judged again, goes on or gets a note the later lines count.
"""
import collections
import dataclasses
import errno
import fcntl
import os
import stat

from benchmarks.gate.history import line as lines
from benchmarks.gate.recording import GateError

# Lines that a note names one by one.
MOST_NAMED = 8


def append(path, verdict, taken, date, note=''):
    """Adds the lines of a Verdict on Recordings, all or none, also beside other gates that do so now.

    `date`: a datetime in UTC. Errors: OSError; the file is then as it was.
    """
    text = ''.join(lines.to_text(line) + '\n' for line in lines.of_verdict(verdict, taken, date, note)).encode()
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        size = os.fstat(descriptor).st_size
        # A line that was left unfinished must not swallow the next one.
        is_torn = size > 0 and os.pread(descriptor, 1, size - 1) != b'\n'
        _write(descriptor, b'\n' * is_torn + text, size)
    finally:
        os.close(descriptor)


def check_appendable(path):
    """Looks, before the work begins, whether `append` can write; leaves everything as it is. Errors: OSError."""
    path = os.path.realpath(path)
    if os.path.exists(path):
        if not os.path.isdir(path) and not stat.S_ISREG(os.stat(path).st_mode):
            raise OSError(errno.EINVAL, 'Not a regular file', path)
        os.close(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC))
        return
    folder = os.path.dirname(path)
    problem = errno.EACCES if os.path.isdir(folder) else errno.ENOENT
    if problem == errno.ENOENT or not os.access(folder, os.W_OK):
        raise OSError(problem, os.strerror(problem), path)


def read(path, machine=None):
    """([Line] by date, notes): of each test of each gate the last line, with the first one's date and the last note.

    `machine`: a fingerprint; lines of another one are left out, as damaged ones and those of another format are.
    `notes` say which and why, a text a reason. Errors: GateError for a file that cannot be read.
    """
    try:
        with open(path, 'rb') as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            rows = file.read().split(b'\n')
    except OSError as error:
        raise GateError(f'[history] {path}: {error.strerror}') from error
    found, skipped, parser = {}, collections.defaultdict(list), lines.Parser()
    for number, row in enumerate(rows, 1):
        if not row.strip():
            continue
        line, reason = parser.parse(row)
        if line and machine is not None and line.machine != machine:
            reason = 'of another machine'
        if reason:
            skipped[reason].append(number)
        else:
            test = line.gate, line.entry, line.metric
            found[test] = _replaced(found[test], line) if test in found else line
    notes = [f'[history] {path}: skipped {_named(numbers)}: {reason}' for reason, numbers in skipped.items()]
    return sorted(found.values(), key=lambda line: line.date), notes


def _replaced(old, new):
    """What is known of a test after a later line."""
    return dataclasses.replace(new, date=old.date, note=new.note or old.note)


def _write(descriptor, data, size):
    """Adds all of the data, or puts the old size back."""
    try:
        if os.write(descriptor, data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(descriptor)
    except BaseException:
        os.ftruncate(descriptor, size)
        raise


def _named(numbers):
    """'line 3', 'lines 3, 5 and 7', or how many more there are."""
    if len(numbers) == 1:
        return f'line {numbers[0]}'
    shown = [str(number) for number in numbers[:MOST_NAMED]]
    more = f'{len(numbers) - MOST_NAMED} more' if len(numbers) > MOST_NAMED else shown.pop()
    return f'lines {", ".join(shown)} and {more}'
