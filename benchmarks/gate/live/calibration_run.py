"""Measures how exact a gate is here: a program against itself, then against itself with slowdowns that are planted."""
import dataclasses
import os
import random
import re

import numpy as np

from benchmarks.gate import calibration as calibrations
from benchmarks.gate import recording_file, resampling
from benchmarks.gate.live import earlier_gate
from benchmarks.gate.live import session as sessions
from benchmarks.gate.live.calibration_store import CalibrationStore
from benchmarks.gate.live.process.side_error import UnknownOption
from benchmarks.gate.recording import GateError
from benchmarks.gate.report import calibration_text

# Multiples of delta whose detection is told, and gates drawn for each.
MULTIPLES, GATES = (0, 1, 2), 1000
PLANTED = 2
REPLICAS = re.compile(r'/replicas:(\d+)(?:/|$)')


@dataclasses.dataclass(frozen=True)
class Planted:
    """A real slowdown of `share` of an entry's CPU time by `microseconds` of work in each step, and the Test of it."""
    share: float
    microseconds: int
    test: object
    looked_at: int


def run(options, environment, record):
    """Measures, prints and keeps a calibration.

    `record`: an OutputFile for the recordings of the program against itself. Errors: those of GateRun.run and of
    CalibrationStore, GateError where the budget does not hold them, OSError where a calibration cannot be kept.
    """
    with sessions.opened(options, environment) as session:
        taken = session.nothing_yet()
        store = CalibrationStore(options.calibration, environment, session.folder, taken.machine, is_read=False)
        store.check_writable()
        if options.record:
            earlier_gate.check_is_record(os.path.join(session.folder, options.record))
        taken = _record(session, taken, record)
        measured = calibrations.measure(taken)
        deltas = {(entry, metric): calibrations.delta(measured, entry, metric, taken.delta)
                  for entry in taken.entry_names() for metric in taken.metrics}
        print(calibration_text.measured(measured, taken, deltas), flush=True)
        print(calibration_text.expected(_expected(session, taken, deltas)), flush=True)
        for planted in _plant(session, taken, measured, deltas):
            print(calibration_text.planted(planted), flush=True)
        path = store.keep(measured)
        print(f'Kept in {path}: gates on this machine use it.' if path else 'Not kept.')
        return 0


def _record(session, taken, record):
    """The Recordings of the program against itself, as many as the last look sees."""
    gate = session.gate(taken, lambda _: None, to_the_end=True)
    try:
        session.run(gate, session.takers().all())
    finally:
        if gate.taken.recordings:
            record.write(recording_file.to_text(gate.taken))
    count, wanted = len(gate.taken.recordings), gate.taken.schedule.looks[-1]
    if count < wanted:
        raise GateError(f'[calibrate] {count} recordings in the {session.patience.seconds:g} s of the budget; wanted '
                        f'{wanted}: a larger --budget would help')
    return gate.taken


def _expected(session, taken, deltas):
    """[(multiple of delta, results in shares of the gates, mean seconds)] of gates drawn from the recordings."""
    pool, rows = resampling.pairs_of(taken), []
    for multiple in MULTIPLES:
        session.patience.check()
        slowdowns = {test: multiple * delta for test, delta in deltas.items()}
        results, _, seconds = resampling.run(
            pool, deltas, taken.schedule.looks, slowdowns, GATES, random.Random(taken.seed), taken.required)
        rows.append((multiple, {result: count / GATES for result, count in results.items()}, seconds))
    return rows


def _plant(session, taken, measured, deltas):
    """The Planted of each number of replicas, one behind the other; none where the program does not know how."""
    for entry in taken.entry_names():
        replicas = REPLICAS.search(entry)
        delta = deltas.get((entry, 'cpu'), 1.0)
        if not replicas or taken.method not in ('paced', 'fresh') or delta > calibrations.LARGEST_DELTA:
            continue
        steps = [step for each in taken.recordings for step in each.baseline.entries[entry].cpu]
        microseconds = round(1000 * PLANTED * delta * float(np.median(steps)))
        words = (f'--plant_work_us={microseconds}', f'--plant_at_replicas={replicas.group(1)}')
        try:
            verdict = _against(session, taken, measured, words)
        except UnknownOption:
            session.progress.say('the program seems to know no --plant_work_us: no slowdown is planted')
            return
        [test] = [test for test in verdict.tests if (test.entry, test.metric) == (entry, 'cpu')]
        yield Planted(PLANTED * delta, microseconds, test, verdict.looked_at)


def _against(session, taken, measured, words):
    """The Verdict on the program with more words against itself without them."""
    begun = dataclasses.replace(taken, recordings=())
    gate = session.gate(begun, lambda _: measured)
    return session.run(gate, [session.takers((*session.chosen['candidate'].words, *words)).of(begun)])
