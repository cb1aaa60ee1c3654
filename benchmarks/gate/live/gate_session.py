"""One use of the gate on two sides: what it needs is looked at first, then it records, and nothing is left behind."""
import dataclasses
import math
import os
import tempfile

from benchmarks.gate import recording_file
from benchmarks.gate.live import earlier_gate, new_gate, side_command, stored_baseline
from benchmarks.gate.live.gate_run import GateRun
from benchmarks.gate.live.patience import Interruption, Patience
from benchmarks.gate.live.place import Place
from benchmarks.gate.live.progress import Progress
from benchmarks.gate.live.side_error import UnknownOption
from benchmarks.gate.recording import GateError
from benchmarks.gate.revisions import chosen_sides


def run(options, environment, record):
    """Records as the options (gate_options.parse) say; (Verdict, Recordings, Calibration or None).

    `record`: an OutputFile for what was recorded, written however it ends. Errors: those of GateRun.run and of
    earlier_gate, GateError for commands that are none and commits that do not build. Building takes nothing of the
    budget.
    """
    progress, user = Progress(), side_command.users_folder(environment)
    with Interruption() as interruption, tempfile.TemporaryDirectory(prefix='lockstep-gate-') as folder:
        chosen = chosen_sides.choose(options, user, folder, Patience(math.inf, interruption))
        sides = {side: each.words for side, each in chosen.items()}
        stored = stored_baseline.load(sides['baseline'], user) if stored_baseline.is_result(
            sides['baseline'], user) else None
        taken, calibration = _begin(options, chosen, stored, user)
        if options.seed is None and not taken.recordings:
            progress.say(f'seed {taken.seed}')
        patience = Patience(options.budget, interruption)
        takers = new_gate.Takers(
            options, sides, Place(folder, side_command.surroundings(environment)), patience, progress.say)
        gate = GateRun(taken, calibration, patience, progress)
        try:
            wanted = [takers.of(taken, stored)] if taken.recordings else takers.all(stored)
            return _record(gate, wanted, progress), gate.taken, calibration
        finally:
            if gate.taken.recordings:
                record.write(recording_file.to_text(gate.taken, calibration))


def _begin(options, chosen, stored, user):
    """(Recordings, Calibration or None): none as yet, or those of an earlier gate that is to go on."""
    taken = new_gate.recordings(options, chosen['baseline'], chosen['candidate'], user)
    if stored and options.history is not None:
        raise GateError('[gate] a ratio to a result that was there says nothing in a history; wanted both binaries')
    if stored:
        taken = dataclasses.replace(taken, baseline=stored_baseline.side(taken.baseline, stored))
    if options.record is None:
        return taken, None
    path = os.path.join(user, options.record)
    if options.again:
        return earlier_gate.go_on(path, options, taken)
    earlier_gate.check_replaceable(path, taken)
    return taken, None


def _record(gate, takers, progress):
    """The Verdict, by the first taker whose options both sides know."""
    for taker in takers[:-1]:
        try:
            return gate.run(taker)
        except UnknownOption as error:
            if gate.taken.recordings:
                raise
            last = f' ({error.last_lines[-1]})' if error.last_lines else ''
            progress.say(f'the {error.side} seems to know no --pace{last}: whole processes instead of turns')
    return gate.run(takers[-1])
