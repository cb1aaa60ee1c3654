"""Calls functions in forked children, so that what they leave behind goes with them."""

import ctypes
import json
import os
import signal
import sys
import traceback

PR_SET_PDEATHSIG = 1


class Child:
    """A forked process that calls function(message) with each message it is sent.

        child = Child(answer)
        reply = child.call({"cmd": "run"})
        child.end()

    Messages and results have to be JSON. The child begins when it is made.
    """

    def __init__(self, function):
        from_parent, to_child = os.pipe()
        from_child, to_parent = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            os.close(to_child)
            os.close(from_child)
            _be_the_child(function, from_parent, to_parent)
        os.close(from_parent)
        os.close(to_parent)
        self._messages = os.fdopen(to_child, "wb")
        self._results = os.fdopen(from_child, "rb")

    def call(self, message=None):
        """function(message).

        What ends the child otherwise (a signal, an exception) ends this process likewise:
        a crash of the framework is not hidden.
        """
        try:
            self._messages.write(_line(message))
            self._messages.flush()
        except BrokenPipeError:
            pass  # it has ended: the missing result tells
        result = self._results.readline()
        if not result.endswith(b"\n"):
            _, status = os.waitpid(self._process, 0)
            _end_likewise(status)
        return json.loads(result)

    def end(self):
        """The child ends at once; it has been told everything, or nothing more counts."""
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        self._messages.close()
        self._results.close()


def call_in_child(function):
    """function()'s result, of a child that ends behind it."""
    child = Child(lambda _: function())
    result = child.call()
    child.end()
    return result


def die_with_parent():
    """No orphan: a hung framework goes when its parent goes."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _line(message):
    return json.dumps(message, allow_nan=False).encode() + b"\n"


def _be_the_child(function, messages, results):
    die_with_parent()
    status = 1
    try:
        with os.fdopen(messages, "rb") as told, os.fdopen(results, "wb") as telling:
            for message in told:
                result = _line(function(json.loads(message)))
                _flush_output()
                telling.write(result)
                telling.flush()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        _flush_output()
        os._exit(status)


def _flush_output():
    sys.stdout.flush()
    sys.stderr.flush()


def _end_likewise(status):
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    raise SystemExit(os.WEXITSTATUS(status) or 1)  # also for a signal that does not kill
