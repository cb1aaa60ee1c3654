"""A program of the package as a process of its own, which ends in time."""

import collections
import os
import signal
import subprocess

from tools.gpu_check.outcome import FAILED, PASSED, TIMED_OUT

# `how` is '' where it passed, else 'exit 3', 'SIGSEGV', 'over 20 s' or why it did not start.
Ended = collections.namedtuple("Ended", "result how")


def how_it_ended(status):
    """'exit 3' or 'SIGSEGV', of the status that subprocess gives."""
    if status >= 0:
        return "exit %d" % status
    try:
        return signal.Signals(-status).name
    except ValueError:
        return "signal %d" % -status


def end_group(process):
    """Ends the program and what it started: nothing may use the GPU under the next one."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def run(command, seconds, **options):
    """Ended; `options` are subprocess.Popen's. Whatever is raised meanwhile, no process is left."""
    try:
        process = subprocess.Popen(command, start_new_session=True, **options)
    except OSError as error:
        return Ended(FAILED, str(error))
    try:
        status = process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return Ended(TIMED_OUT, "over %.4g s" % seconds)
    finally:
        end_group(process)
    return Ended(PASSED, "") if status == 0 else Ended(FAILED, how_it_ended(status))
