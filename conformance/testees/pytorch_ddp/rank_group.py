"""Processes of one rank each, forked for one program."""

import multiprocessing
import multiprocessing.connection
import os
import sys
import time
import traceback

_fork = multiprocessing.get_context("fork")


def run_ranks(count, function, deadline):
    """function(rank) in `count` processes at once; its results, the earliest first.

    Gives [(rank, result)]. A result is a dict, with `failed` true where a rank failed:
    it ends at once, so that those which wait for it notice; the others stay until all
    have answered. A rank that ends without a result, or has none after `deadline`
    seconds and is killed, gives {"failed": True, "status": n}; below 0 it is a signal.
    """
    ranks = [_Rank(rank, function) for rank in range(count)]
    try:
        return _collect(ranks, time.monotonic() + deadline)
    finally:
        for rank in ranks:
            rank.pipe.close()  # all before the first is waited for: a fork holds copies
        for rank in ranks:
            rank.end()


class _Rank:
    """One process and the pipe to it."""

    def __init__(self, rank, function):
        self.rank = rank
        self.pipe, theirs = _fork.Pipe()
        arguments = (rank, function, theirs, self.pipe)
        self._process = _fork.Process(target=_be_the_rank, args=arguments, daemon=True)
        self._process.start()
        theirs.close()

    def receive(self):
        """(when, result)"""
        try:
            return self.pipe.recv()
        except EOFError:
            self._process.join()
            result = {"failed": True, "status": self._process.exitcode}
            return time.monotonic(), result

    def kill(self):
        self._process.kill()

    def end(self):
        """Waits for the process to end by itself, and kills it when it does not."""
        self._process.join(timeout=2)
        self._process.kill()
        self._process.join()
        self._process.close()


def _collect(ranks, end):
    waiting = {rank.pipe: rank for rank in ranks}
    results = []
    while waiting:
        remaining = max(0, end - time.monotonic())
        ready = multiprocessing.connection.wait(list(waiting), remaining)
        if not ready:
            for rank in waiting.values():
                rank.kill()
            end = time.monotonic() + 1
        for pipe in ready:
            rank = waiting.pop(pipe)
            results.append((rank.rank, *rank.receive()))
    # By the ranks' own clock, which is one: two can be ready when this process wakes.
    results.sort(key=lambda result: result[1])
    return [(rank, result) for rank, _, result in results]


def _be_the_rank(rank, function, pipe, parents_end):
    parents_end.close()
    status = 1
    try:
        result = function(rank)
        pipe.send((time.monotonic(), result))
        if not result.get("failed"):
            pipe.poll(None)  # until the parent closes its end, or is gone
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)
