"""Calls a function in a forked child, so that what it leaves behind goes with it."""

import ctypes
import json
import os
import signal
import sys
import traceback

PR_SET_PDEATHSIG = 1


def call_in_child(function):
    """function()'s result, which has to be JSON.

    What ends the child otherwise (a signal, an exception) ends this process likewise:
    a crash of the framework is not hidden.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _be_the_child(function, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        result = stream.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        _die_of(os.WTERMSIG(status))
    if os.WEXITSTATUS(status) != 0:
        raise SystemExit(os.WEXITSTATUS(status))
    return json.loads(result)


def die_with_parent():
    """No orphan: a hung framework goes when its parent goes."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _be_the_child(function, writer):
    die_with_parent()
    status = 1
    try:
        result = json.dumps(function(), allow_nan=False).encode()
        with os.fdopen(writer, "wb") as stream:
            stream.write(result)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _die_of(number):
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    raise SystemExit(1)  # a signal that does not kill
