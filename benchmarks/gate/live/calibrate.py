"""Measures how exact a gate is here: a program against itself, then against itself with slowdowns that are planted."""

import dataclasses
import os
import random
import re

import numpy as np

from benchmarks.gate import calibration, recording_file, resample
from benchmarks.gate.live import gate_run
from benchmarks.gate.live import session as sessions
from benchmarks.gate.live.side import UnknownOption
from benchmarks.gate.recording import GateError
from benchmarks.gate.report import wording

# Multiples of delta whose detection is shown, and gates drawn for each.
MULTIPLES, GATES = {0: "nothing", 1: "delta", 2: "twice delta"}, 1000
PLANTED = 2
REPLICAS = re.compile(r"/replicas:(\d+)(?:/|$)")


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
        store = calibration.CalibrationStore(
            options.calibration, environment, session.folder, taken.machine, is_read=False
        )
        store.check_writable()
        if options.record:
            gate_run.check_is_record(os.path.join(session.folder, options.record))
        taken = _record(session, taken, record)
        measured = calibration.measure(taken)
        deltas = calibration.deltas(measured, taken)
        print(_measured_text(measured, taken, deltas), flush=True)
        print(_expected_text(_expected(session, taken, deltas)), flush=True)
        for planted in _plant(session, taken, measured, deltas):
            print(_planted_text(planted), flush=True)
        path = store.keep(measured)
        print(f"Kept in {path}: gates on this machine use it." if path else "Not kept.")
        return 0


def _record(session, taken, record):
    """The Recordings of the program against itself, as many as the last look sees."""
    gate = session.gate(taken, lambda _: None, to_the_end=True)
    try:
        session.run(gate, session.recorders())
    finally:
        if gate.taken.recordings:
            record.write(recording_file.to_text(gate.taken))
    count, wanted = len(gate.taken.recordings), gate.taken.schedule.looks[-1]
    if count < wanted:
        raise GateError(
            f"[calibrate] {count} recordings in the {session.budget.seconds:g} s of the budget; wanted "
            f"{wanted}: a larger --budget would help"
        )
    return gate.taken


def _expected(session, taken, deltas):
    """[(multiple of delta, results in shares of the gates, mean seconds)] of gates drawn from the recordings."""
    pool, rows = resample.pairs_of(taken), []
    for multiple in MULTIPLES:
        session.budget.check()
        slowdowns = {test: multiple * delta for test, delta in deltas.items()}
        results, _, seconds = resample.run(
            pool, deltas, taken.schedule.looks, slowdowns, GATES, random.Random(taken.seed), taken.required
        )
        rows.append((multiple, {result: count / GATES for result, count in results.items()}, seconds))
    return rows


def _plant(session, taken, measured, deltas):
    """The Planted of each number of replicas, one after the other; none where the program does not know how."""
    for entry in taken.entry_names():
        replicas = REPLICAS.search(entry)
        delta = deltas.get((entry, "cpu"), 1.0)
        if not replicas or taken.method not in ("paced", "fresh") or delta > calibration.LARGEST_DELTA:
            continue
        steps = [step for each in taken.recordings for step in each.baseline.entries[entry].cpu]
        microseconds = round(1000 * PLANTED * delta * float(np.median(steps)))
        words = (f"--plant_work_us={microseconds}", f"--plant_at_replicas={replicas.group(1)}")
        try:
            verdict = _against(session, taken, measured, words)
        except UnknownOption:
            session.progress.say("the program seems to know no --plant_work_us: no slowdown is planted")
            return
        [test] = [test for test in verdict.tests if (test.entry, test.metric) == (entry, "cpu")]
        yield Planted(PLANTED * delta, microseconds, test, verdict.looked_at)


def _against(session, taken, measured, words):
    """The Verdict on the program with more words against itself without them."""
    begun = dataclasses.replace(taken, recordings=())
    gate = session.gate(begun, lambda _: measured)
    candidate = (*session.chosen["candidate"].words, *words)
    return session.run(gate, [session.recorder_of(begun, candidate=candidate)])


def _measured_text(measured, taken, deltas):
    """What A/A Recordings gave: `deltas` has the slowdown that counts, (entry, metric) -> share, of all tests."""
    seconds = sum(each.seconds for each in taken.recordings)
    lines = [
        f"{len(taken.recordings)} recordings of a program against itself in {seconds:.0f} s; "
        f"{wording.machine(taken.machine)}",
        "Delta, the smallest slowdown that counts, is at least twice the half-width of a gate of as many:",
    ]
    rows = [("entry", "time", "half-width", "delta")]
    rows += [(*test, _half_width(measured, test), _delta(delta)) for test, delta in deltas.items()]
    return "\n".join(lines + wording.aligned(rows))


def _half_width(measured, test):
    value = measured.half_widths.get(test)
    if value is None:
        return f"not measured: fewer than {calibration.FEWEST} quiet recordings"
    return f"{wording.in_percent(value):.1f} %"


def _delta(delta):
    too_large = delta > calibration.LARGEST_DELTA
    return f"{100 * delta:.3g} %" + (": too large, not judged" if too_large else "")


def _expected_text(rows):
    """[(multiple of delta, result -> share of gates, mean seconds)] as a table."""
    table = [("slower by", *resample.RESULTS, "seconds")]
    table += [
        (MULTIPLES[multiple], *(f"{100 * shares.get(result, 0):.1f}" for result in resample.RESULTS), f"{seconds:.0f}")
        for multiple, shares, seconds in rows
    ]
    return "\n".join(["Gates drawn from these recordings, their verdicts in percent:", *wording.aligned(table)])


def _planted_text(found):
    """A real slowdown and what a gate said of it."""
    test = found.test
    said = wording.answer(test) + (f", {wording.size_of(test)}" if test.interval else "")
    return (
        f"Planted {found.microseconds} us, {100 * found.share:.3g} % of a step of {test.entry}: {said} "
        f"at {found.looked_at} recordings"
    )
