"""The command that takes the same recordings again."""
import shlex

from benchmarks.gate.recording import Recordings, Schedule

PROGRAM = ('./bazelw', 'run', '//benchmarks:gate', '--')


def of(taken):
    """The command of Recordings, quoted for a shell: what differs from the gate's own choice, and the seed."""
    options = [('baseline', shlex.join(taken.baseline.command)), ('candidate', shlex.join(taken.candidate.command)),
               ('arguments', shlex.join(taken.arguments)), ('seed', str(taken.seed))]
    schedule = taken.schedule
    options += [(name, text) for name, text, value, usual in (
        ('turn', str(schedule.turn), schedule.turn, Schedule.turn),
        ('warmup', str(schedule.warmup), schedule.warmup, Schedule.warmup),
        ('looks', ','.join(map(str, schedule.looks)), schedule.looks, Schedule.looks),
        ('delta', f'{100 * taken.delta:g}', taken.delta, Recordings.delta),
        ('metrics', ','.join(taken.metrics), taken.metrics, Recordings.metrics),
        ('require', ','.join(taken.required), taken.required, Recordings.required)) if value != usual]
    return ' '.join([*PROGRAM, *(f'--{name}={shlex.quote(text)}' for name, text in options)])
