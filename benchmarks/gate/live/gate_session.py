"""One use of the gate on two commands: what it needs is looked at first, then it records, and nothing is left behind."""
import dataclasses
import math
import random
import sys
import tempfile

from benchmarks.gate import recording_file
from benchmarks.gate.live import machine, methods, side_command
from benchmarks.gate.live.gate_run import GateRun
from benchmarks.gate.live.paced_recording import Place
from benchmarks.gate.live.patience import Interruption, Patience
from benchmarks.gate.live.progress import Progress
from benchmarks.gate.recording import Recordings, Schedule
from benchmarks.gate.revisions import chosen_sides


def run(options, environment, record):
    """Records as the options (gate_options.parse) say; (Verdict, Recordings, Calibration or None).

    `record`: an OutputFile for what was recorded, written however it ends. Errors: those of GateRun.run, GateError for
    commands that are none and commits that do not build. Building takes nothing of the budget.
    """
    with Interruption() as interruption, tempfile.TemporaryDirectory(prefix='lockstep-gate-') as folder:
        chosen = chosen_sides.choose(
            options, side_command.users_folder(environment), folder, Patience(math.inf, interruption))
        patience = Patience(options.budget, interruption)
        sides = {side: each.words for side, each in chosen.items()}
        taken = _nothing_yet(options, chosen, environment)
        place = Place(folder, side_command.surroundings(environment))
        taker = methods.TakesTurns(sides, taken.arguments, taken.schedule, place, patience)
        gate = GateRun(taken, None, patience, Progress())
        if options.seed is None:
            print(f'seed {taken.seed}', file=sys.stderr)
        try:
            return gate.run(taker), gate.taken, None
        finally:
            if gate.taken.recordings:
                record.write(recording_file.to_text(gate.taken))


def _nothing_yet(options, chosen, environment):
    baseline, candidate = chosen['baseline'], chosen['candidate']
    arguments = methods.PACED_ARGUMENTS if options.arguments is None else options.arguments
    return Recordings(
        machine=machine.fingerprint(),
        baseline=baseline.side,
        candidate=candidate.side,
        recordings=(),
        seed=random.SystemRandom().randrange(1 << 31) if options.seed is None else options.seed,
        schedule=_schedule(options),
        metrics=options.metrics,
        required=options.require,
        delta=options.delta,
        arguments=side_command.words(arguments, '--arguments'),
        same_program=side_command.same_program(
            baseline.words, candidate.words, side_command.users_folder(environment)))


def _schedule(options):
    chosen = {name: getattr(options, name) for name in ('turn', 'warmup', 'looks') if getattr(options, name) is not None}
    schedule = Schedule(**chosen)
    return dataclasses.replace(schedule, behind_switch=min(schedule.behind_switch, schedule.turn - 1))
