"""A gate while it records: one recording after the other, until the verdict is settled or the time is over.

A gate that is repeated until it passes will pass. So a gate may continue with the recordings of an earlier one, by
their rules, until its looks are used up, and recordings of the same two programs are not replaced by accident.
"""

import dataclasses
import itertools
import os
import random

from benchmarks.gate import recording, recording_file, verdict
from benchmarks.gate.live import programs
from benchmarks.gate.process.budget import BudgetSpent, Interrupted
from benchmarks.gate.recording import SIDES, WHOLE_METHODS, GateError
from benchmarks.gate.verdict import Outcome
from reports.json_file import ReportError


class GateRun:
    """`taken`: Recordings, those so far at any time, whatever ends the run. `calibration`: the one they are judged by,
    None until it is looked for.

    It continues with recordings that exist at the beginning: their seed says who is next. `find_calibration(taken)`
    returns a Calibration or None; it is called once, after the first recording. `to_the_end`: takes all recordings of
    the last look, whatever the verdict is.
    """

    def __init__(self, taken, find_calibration, budget, progress, to_the_end=False):
        self.taken, self.calibration = taken, find_calibration(taken) if taken.recordings else None
        self._find_calibration, self._to_the_end = find_calibration, to_the_end
        self._budget, self._progress = budget, progress
        self._before, self._begun = len(taken.recordings), 0.0

    def run(self, recorder):
        """Records by a recorder (recorder.py); the Verdict. Errors: the recorder's and verdict.judge's, Interrupted."""
        self._begun = self._budget.used()
        self.taken = dataclasses.replace(
            self.taken, method=recorder.method, arguments=recorder.arguments, schedule=recorder.schedule, stopped=""
        )
        try:
            self._record_all(recorder)
        except BudgetSpent:
            self._stop("budget")
        except Interrupted:
            self._stop("interrupted")
            raise
        except Exception:
            self._stop("failed")
            raise
        finally:
            self._progress.clear()
        return verdict.judge(self.taken, self.calibration)

    def _record_all(self, recorder):
        most = self.taken.schedule.looks[-1]
        for first in itertools.islice(first_sides(self.taken.seed), self._before, most):
            self._check_time()
            self._report(0)
            found, compiler = recorder.record(first, self._report)
            self._keep(found, compiler, recorder.schedule)
            if verdict.judge(self.taken, self.calibration).settled and not self._to_the_end:
                return

    def _check_time(self):
        """Errors: BudgetSpent where the next recording would not fit, if it takes as long as those so far did."""
        self._budget.check()
        done = len(self.taken.recordings) - self._before
        if done and self._used() / done > self._budget.left():
            raise BudgetSpent

    def _used(self):
        """Seconds since the recordings began."""
        return self._budget.used() - self._begun

    def _keep(self, found, compiler, schedule):
        machine = {**self.taken.machine, **({"compiler": compiler} if compiler else {})}
        kept = dataclasses.replace(
            self.taken, machine=machine, schedule=schedule, recordings=(*self.taken.recordings, found)
        )
        is_first = not self.taken.recordings
        self.taken = recording.check(kept)
        if is_first:
            self.calibration = self._find_calibration(self.taken)

    def _stop(self, why):
        self.taken = dataclasses.replace(self.taken, stopped=why)

    def _report(self, turns):
        done, most = len(self.taken.recordings), self.taken.schedule.looks[-1]
        left = time_left(done - self._before, most - self._before, self._used(), self._used() + self._budget.left())
        so_far = f", {turns} turns" if turns else ""
        self._progress.show(f"recording {done + 1} of at most {most}{so_far}, {left}")


def first_sides(seed):
    """Endless: of each two recordings in a row each side begins one, and chance, by a seed, says which."""
    rng = random.Random(seed)
    for _ in itertools.count():
        yield from rng.choice((SIDES, SIDES[::-1]))


def time_left(done, most, used, budget):
    """'at most 54 s left' of `most` recordings of which `done` took `used` seconds, in a budget of seconds."""
    left = budget - used
    if done:
        left = min(left, (most - done) * used / done)
    return f"at most {max(0.0, left):.0f} s left"


def check_is_record(path):
    """Errors: GateError where the file holds something else than recordings."""
    _load(path)


def check_replaceable(path, taken):
    """Errors: GateError where the file holds what `taken` (Recordings, as yet none) would be a repetition of, or
    something else than recordings."""
    earlier, _ = _load(path)
    if earlier and earlier.recordings and not _difference(earlier, taken):
        raise GateError(
            f"[record] {path} holds {len(earlier.recordings)} recordings of these two programs, and one of several "
            "gates of the same passes by chance; wanted --again, which goes on with them, or another file"
        )


def go_on(path, options, taken):
    """(Recordings, Calibration or None) of the file, for the sides and the machine of `taken`.

    Errors: GateError where there are none, where sides, machine or an option that was given differ, and for a gate that
    needs no more recordings.
    """
    earlier, calibration = _load(path)
    if earlier is None:
        raise GateError(f"[again] there are no recordings in {path}; wanted those of a gate to go on with")
    difference = _difference(earlier, taken) or _other_option(earlier, options)
    if difference:
        raise GateError(f"[again] {path}: {difference}; wanted the same")
    judged = verdict.judge(earlier, calibration)
    if (
        judged.outcome != Outcome.UNDECIDED
        or verdict.judge(dataclasses.replace(earlier, stopped=""), calibration).settled
    ):
        used_up = ", which uses up its looks" if judged.looked_at == earlier.schedule.looks[-1] else ""
        raise GateError(
            f"[again] {path}: the gate ended {judged.outcome.value} at {judged.looked_at} recordings"
            f"{used_up}; more would not be looked at (--judge={path} repeats the verdict)"
        )
    return earlier, calibration


def _load(path):
    """(Recordings, Calibration), (None, None) where there is no file, an empty one, or none that could be read back."""
    if not os.path.isfile(path) or os.path.getsize(path) == 0:
        return None, None
    try:
        return recording_file.load(path)
    except ReportError as error:
        raise GateError(
            f"[record] {path} holds something else than recordings ({error}); wanted another file"
        ) from error


def _difference(earlier, taken):
    """What differs in sides or machine, in words; '' where nothing does."""
    for side in SIDES:
        kept, now = getattr(earlier, side), getattr(taken, side)
        for name in ("command", "commit", "program"):
            if getattr(kept, name) != getattr(now, name):
                return f"{side}, {name}: recorded {getattr(kept, name)!r}, now {getattr(now, name)!r}"
    for label, value in taken.machine.items():
        if earlier.machine.get(label) != value:
            return f"machine, {label}: recorded {earlier.machine.get(label)!r}, now {value!r}"
    return ""


def _other_option(earlier, options):
    """An option's change since the earlier gate."""
    schedule = earlier.schedule
    arguments = None if options.arguments is None else programs.words(options.arguments, "--arguments")
    kept = {
        "seed": (options.seed, earlier.seed),
        "delta": (options.delta, earlier.delta),
        "metrics": (options.metrics, earlier.metrics),
        "require": (options.require, earlier.required),
        "entry": (options.entry, earlier.entry),
        "cpu_field": (options.cpu_field, earlier.cpu_field),
        "looks": (options.looks, schedule.looks),
        "arguments": (arguments, earlier.arguments),
    }
    if earlier.method not in WHOLE_METHODS:
        kept.update(turn=(options.turn, schedule.turn), warmup=(options.warmup, schedule.warmup))
    for name, (given, recorded) in kept.items():
        if given is not None and given != recorded:
            return f"--{name}: recorded {recorded!r}, now {given!r}"
    return ""
