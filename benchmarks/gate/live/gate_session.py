"""One use of the gate on two sides: what it needs is looked at first, then it records, and nothing is left behind."""
import dataclasses
import math
import random
import tempfile

from benchmarks.gate import recording_file
from benchmarks.gate.live import machine, methods, side_command
from benchmarks.gate.live.gate_run import GateRun
from benchmarks.gate.live.patience import Interruption, Patience
from benchmarks.gate.live.place import Place
from benchmarks.gate.live.progress import Progress
from benchmarks.gate.live.side_error import UnknownOption
from benchmarks.gate.recording import USUAL_SCHEDULES, Recordings
from benchmarks.gate.revisions import chosen_sides


def run(options, environment, record):
    """Records as the options (gate_options.parse) say; (Verdict, Recordings, Calibration or None).

    `record`: an OutputFile for what was recorded, written however it ends. Errors: those of GateRun.run, GateError for
    commands that are none and commits that do not build. Building takes nothing of the budget.
    """
    progress = Progress()
    with Interruption() as interruption, tempfile.TemporaryDirectory(prefix='lockstep-gate-') as folder:
        chosen = chosen_sides.choose(
            options, side_command.users_folder(environment), folder, Patience(math.inf, interruption))
        patience = Patience(options.budget, interruption)
        sides = {side: each.words for side, each in chosen.items()}
        place = Place(folder, side_command.surroundings(environment))
        gate = GateRun(_nothing_yet(options, chosen, environment), None, patience, progress)
        if options.seed is None:
            progress.say(f'seed {gate.taken.seed}')
        try:
            return _record(options, gate, sides, place, patience, progress), gate.taken, None
        finally:
            if gate.taken.recordings:
                record.write(recording_file.to_text(gate.taken))


def _record(options, gate, sides, place, patience, progress):
    """The Verdict, by the first method that both sides know."""
    if options.entry is not None:
        return gate.run(_taker(methods.TakesBenchmarks, options, sides, place, patience, entry=options.entry,
                               cpu_field=options.cpu_field, warn=progress.say))
    try:
        return gate.run(_taker(methods.TakesTurns, options, sides, place, patience))
    except UnknownOption as error:
        if gate.taken.recordings:
            raise
        last = f' ({error.last_lines[-1]})' if error.last_lines else ''
        progress.say(f'the {error.side} seems to know no --pace{last}: whole processes instead of turns')
    return gate.run(_taker(methods.TakesProcesses, options, sides, place, patience))


def _taker(kind, options, sides, place, patience, **more):
    words = kind.usual_words if options.arguments is None else options.arguments
    return kind(sides, side_command.words(words, '--arguments'), _schedule(kind, options), place, patience, **more)


def _schedule(kind, options):
    chosen = {name: getattr(options, name) for name in ('turn', 'warmup', 'looks') if getattr(options, name) is not None}
    schedule = dataclasses.replace(USUAL_SCHEDULES[kind.method], **chosen)
    return dataclasses.replace(schedule, behind_switch=min(schedule.behind_switch, schedule.turn - 1))


def _nothing_yet(options, chosen, environment):
    baseline, candidate = chosen['baseline'], chosen['candidate']
    return Recordings(
        machine=machine.fingerprint(),
        baseline=baseline.side,
        candidate=candidate.side,
        recordings=(),
        seed=random.SystemRandom().randrange(1 << 31) if options.seed is None else options.seed,
        metrics=options.metrics,
        required=options.require,
        delta=options.delta,
        same_program=side_command.same_program(
            baseline.words, candidate.words, side_command.users_folder(environment)),
        entry=options.entry or '',
        cpu_field=options.cpu_field)
