"""Processes forked for one program: the ranks of a group, or the workers of a job."""

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import sys
import threading
import time
import traceback

from conformance.testees.python.child_process import die_with_parent

# How long the others have when one has failed: what they say of their own counts, but
# a process may wait forever for one that has ended.
AFTERMATH = 10

# How long processes that meet wait for one that may have failed.
PATIENCE = 10

_fork = multiprocessing.get_context("fork")
_meeting = None  # of the processes of one call, in each of them


def run_processes(count, function, deadline, aftermath=AFTERMATH):
    """function(number) in `count` processes at once; its results, the earliest first.

    Gives [(number, result)]. A result is a dict, with `failed` true where a process failed:
    it ends at once, so that those which wait for it notice; the others stay until all have
    answered. One that ends without a result gives {"failed": True, "status": n}; below 0 it
    is a signal. One that has none after `deadline` seconds, or `aftermath` after another
    failed, is killed and gives the same and `late`.
    """
    global _meeting  # noqa: PLW0603
    _meeting = _fork.Barrier(count)
    processes = [_Process(number, function) for number in range(count)]
    try:
        return _Collection(processes, deadline, aftermath).results()
    finally:
        for process in processes:
            process.pipe.close()  # all before the first is waited for: a fork holds copies
        for process in processes:
            process.end()


def meet_others(patience=PATIENCE):
    """Waits, in a process, until all have called this; so many seconds where one has not."""
    with contextlib.suppress(threading.BrokenBarrierError):
        _meeting.wait(patience)


class _Process:
    """One process and the pipe to it."""

    def __init__(self, number, function):
        self.number = number
        self._is_late = False
        self.pipe, theirs = _fork.Pipe()
        arguments = (number, function, theirs, self.pipe)
        # No daemon: it may have processes of its own, as a loader of examples has.
        self._process = _fork.Process(target=_be_it, args=arguments)
        self._process.start()
        theirs.close()

    def receive(self):
        """(when, result)"""
        try:
            return self.pipe.recv()
        except EOFError:
            self._process.join()
            result = {"failed": True, "status": self._process.exitcode}
            late = {"late": True} if self._is_late else {}
            return time.monotonic(), result | late

    def kill_as_late(self):
        self._is_late = True
        self._process.kill()

    def end(self):
        """Waits for the process to end by itself, and kills it when it does not."""
        self._process.join(timeout=2)
        self._process.kill()
        self._process.join()
        self._process.close()


class _Collection:
    """Waits for what processes answer."""

    def __init__(self, processes, deadline, aftermath):
        self._waiting = {process.pipe: process for process in processes}
        self._end = time.monotonic() + deadline
        self._aftermath = aftermath
        self._found = []

    def results(self):
        while self._waiting:
            left = max(0, self._end - time.monotonic())
            ready = multiprocessing.connection.wait(list(self._waiting), left)
            for pipe in ready:
                self._take(self._waiting.pop(pipe))
            if not ready:
                self._give_up()
        # By the processes' own clock, which is one: two can be ready when this one wakes.
        self._found.sort(key=lambda found: found[1])
        return [(number, result) for number, _, result in self._found]

    def _take(self, process):
        when, result = process.receive()
        self._found.append((process.number, when, result))
        if result.get("failed"):
            self._end = min(self._end, time.monotonic() + self._aftermath)

    def _give_up(self):
        for process in self._waiting.values():
            process.kill_as_late()
        self._end = time.monotonic() + 1


def _be_it(number, function, pipe, parents_end):
    die_with_parent()
    parents_end.close()
    status = 1
    try:
        result = function(number)
        pipe.send((time.monotonic(), result))
        if not result.get("failed"):
            pipe.poll(None)  # until the parent closes its end, or is gone
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)
