"""A gate while it records: one recording behind the other, until the verdict is settled or the time is over."""
import dataclasses
import itertools

from benchmarks.gate import recording_check, verdict
from benchmarks.gate.live.process import progress as progresses
from benchmarks.gate.live.process.patience import BudgetSpent, Interrupted
from benchmarks.gate.live.turn_order import first_sides


class GateRun:
    """`taken`: Recordings, those so far at any time, whatever ends the run. `calibration`: the one they are judged by,
    None until it is looked for.

    Recordings that are there at the beginning are gone on with: their seed says who is next. `find_calibration(taken)`
    gives a Calibration or None; it is asked once, when the first recording is there. `to_the_end`: takes all that the
    last look sees, whatever the verdict is.
    """

    def __init__(self, taken, find_calibration, patience, progress, to_the_end=False):
        self.taken, self.calibration = taken, find_calibration(taken) if taken.recordings else None
        self._find_calibration, self._to_the_end = find_calibration, to_the_end
        self._patience, self._progress = patience, progress
        self._before, self._begun = len(taken.recordings), 0.0

    def run(self, taker):
        """Records by a taker (methods.py); the Verdict. Errors: the taker's and verdict.judge's, Interrupted."""
        self._begun = self._patience.used()
        self.taken = dataclasses.replace(
            self.taken, method=taker.method, arguments=taker.arguments, schedule=taker.schedule, stopped='')
        try:
            self._record_all(taker)
        except BudgetSpent:
            self._stop('budget')
        except Interrupted:
            self._stop('interrupted')
            raise
        except Exception:
            self._stop('failed')
            raise
        finally:
            self._progress.clear()
        return verdict.judge(self.taken, self.calibration)

    def _record_all(self, taker):
        most = self.taken.schedule.looks[-1]
        for first in itertools.islice(first_sides(self.taken.seed), self._before, most):
            self._check_time()
            self._tell(0)
            recording, compiler = taker.take(first, self._tell)
            self._keep(recording, compiler, taker.schedule)
            if verdict.judge(self.taken, self.calibration).settled and not self._to_the_end:
                return

    def _check_time(self):
        """Errors: BudgetSpent where the next recording would not fit, if it takes as long as those so far did."""
        self._patience.check()
        done = len(self.taken.recordings) - self._before
        if done and self._used() / done > self._patience.left():
            raise BudgetSpent

    def _used(self):
        """Seconds since the recordings began."""
        return self._patience.used() - self._begun

    def _keep(self, recording, compiler, schedule):
        machine = {**self.taken.machine, **({'compiler': compiler} if compiler else {})}
        kept = dataclasses.replace(
            self.taken, machine=machine, schedule=schedule, recordings=(*self.taken.recordings, recording))
        is_first = not self.taken.recordings
        self.taken = recording_check.check(kept)
        if is_first:
            self.calibration = self._find_calibration(self.taken)

    def _stop(self, why):
        self.taken = dataclasses.replace(self.taken, stopped=why)

    def _tell(self, turns):
        done, most = len(self.taken.recordings), self.taken.schedule.looks[-1]
        left = progresses.time_left(
            done - self._before, most - self._before, self._used(), self._used() + self._patience.left())
        so_far = f', {turns} turns' if turns else ''
        self._progress.show(f'recording {done + 1} of at most {most}{so_far}, {left}')
