"""The command that takes the same recordings again."""
import shlex

from benchmarks.gate.recording import TARGET, Recordings, Schedule

PROGRAM = ('./bazelw', 'run', '//benchmarks:gate', '--')


def of(taken):
    """The command of Recordings, quoted for a shell: what differs from the gate's own choice, and the seed."""
    options = [*_sides(taken), ('arguments', shlex.join(taken.arguments)), ('seed', str(taken.seed))]
    schedule = taken.schedule
    options += [(name, text) for name, text, value, usual in (
        ('turn', str(schedule.turn), schedule.turn, Schedule.turn),
        ('warmup', str(schedule.warmup), schedule.warmup, Schedule.warmup),
        ('looks', ','.join(map(str, schedule.looks)), schedule.looks, Schedule.looks),
        ('delta', f'{100 * taken.delta:g}', taken.delta, Recordings.delta),
        ('metrics', ','.join(taken.metrics), taken.metrics, Recordings.metrics),
        ('require', ','.join(taken.required), taken.required, Recordings.required)) if value != usual]
    return ' '.join([*PROGRAM, *(f'--{name}={shlex.quote(text)}' for name, text in options)])


def _sides(taken):
    """A built side is named by its commit; the tree with changes of its own has none, and is the candidate unnamed."""
    built = [side for side in (taken.baseline, taken.candidate) if side.is_built]
    options = [('target', built[0].command[0])] if built and built[0].command[0] != TARGET else []
    for name, side in (('baseline', taken.baseline), ('candidate', taken.candidate)):
        if not side.is_built:
            options.append((name, shlex.join(side.command)))
        elif not side.is_changed:
            options.append((name, side.commit))
    return options
