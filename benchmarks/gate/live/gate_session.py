"""One gate of two sides: what it needs is looked at first, then it records, then it judges."""
import dataclasses
import os

from benchmarks.gate import recording_file
from benchmarks.gate.live import earlier_gate, session as sessions, stored_baseline
from benchmarks.gate.live.calibration_store import CalibrationStore
from benchmarks.gate.live.process import side_command


def run(options, environment, record):
    """Records as the options (gate_options.parse) say; (Verdict, Recordings, Calibration or None).

    `record`: an OutputFile for what was recorded, written however it ends. Errors: those of GateRun.run, earlier_gate
    and CalibrationStore; GateError for commands that are none and commits that do not build.
    """
    with sessions.opened(options, environment) as session:
        words = session.chosen['baseline'].words
        is_stored = side_command.is_result(words, session.folder)
        stored = stored_baseline.load(words, session.folder) if is_stored else None
        taken, find_calibration = _begin(session, stored, environment)
        if options.seed is None and not taken.recordings:
            session.progress.say(f'seed {taken.seed}')
        gate = session.gate(taken, find_calibration)
        takers = session.takers()
        try:
            wanted = [takers.of(taken, stored)] if taken.recordings else takers.all(stored)
            return session.run(gate, wanted), gate.taken, gate.calibration
        finally:
            if gate.taken.recordings:
                record.write(recording_file.to_text(gate.taken, gate.calibration))


def _begin(session, stored, environment):
    """(Recordings, what finds a calibration for them): none as yet, or those of an earlier gate that is to go on."""
    options, taken = session.options, session.nothing_yet()
    if stored:
        taken = dataclasses.replace(taken, baseline=stored_baseline.side(taken.baseline, stored))
    path = options.record and os.path.join(session.folder, options.record)
    if options.again:
        earlier, calibration = earlier_gate.go_on(path, options, taken)
        return earlier, lambda _: calibration
    if path:
        earlier_gate.check_replaceable(path, taken)
    if stored:
        return taken, lambda _: None
    return taken, CalibrationStore(options.calibration, environment, session.folder, taken.machine).find
