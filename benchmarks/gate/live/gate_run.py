"""A gate while it records: one recording behind the other, until the verdict is settled or the time is over."""
import dataclasses
import itertools

from benchmarks.gate import recording_check, verdict
from benchmarks.gate.live import progress as progresses
from benchmarks.gate.live.patience import BudgetSpent, Interrupted
from benchmarks.gate.live.turn_order import first_sides


class GateRun:
    """`taken`: Recordings, those so far at any time, whatever ends the run.

    Recordings that are there at the beginning are gone on with: their seed says who is next.
    """

    def __init__(self, taken, calibration, patience, progress):
        self.taken = taken
        self._calibration, self._patience, self._progress = calibration, patience, progress
        self._before = len(taken.recordings)

    def run(self, taker):
        """Records by a taker (methods.py); the Verdict. Errors: the taker's and verdict.judge's, Interrupted."""
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
        return verdict.judge(self.taken, self._calibration)

    def _record_all(self, taker):
        most = self.taken.schedule.looks[-1]
        for first in itertools.islice(first_sides(self.taken.seed), self._before, most):
            self._check_time()
            self._tell(0)
            recording, compiler = taker.take(first, self._tell)
            self._keep(recording, compiler, taker.schedule)
            if verdict.judge(self.taken, self._calibration).settled:
                return

    def _check_time(self):
        """Errors: BudgetSpent where the next recording would not fit, if it takes as long as those so far did."""
        self._patience.check()
        done = len(self.taken.recordings) - self._before
        if done and self._patience.used() / done > self._patience.left():
            raise BudgetSpent

    def _keep(self, recording, compiler, schedule):
        machine = {**self.taken.machine, **({'compiler': compiler} if compiler else {})}
        kept = dataclasses.replace(
            self.taken, machine=machine, schedule=schedule, recordings=(*self.taken.recordings, recording))
        self.taken = recording_check.check(kept)

    def _stop(self, why):
        self.taken = dataclasses.replace(self.taken, stopped=why)

    def _tell(self, turns):
        done, most = len(self.taken.recordings), self.taken.schedule.looks[-1]
        left = progresses.time_left(
            done - self._before, most - self._before, self._patience.used(), self._patience.seconds)
        so_far = f', {turns} turns' if turns else ''
        self._progress.show(f'recording {done + 1} of at most {most}{so_far}, {left}')
