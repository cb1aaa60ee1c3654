"""The command that takes the same recordings again."""
import shlex

from benchmarks.gate.recording import TARGET, USUAL_CPU_FIELD, USUAL_SCHEDULES, WHOLE_METHODS, Recordings

PROGRAM = ('./bazelw', 'run', '//benchmarks:gate', '--')


def of(taken):
    """The command of Recordings, quoted for a shell: what differs from the gate's own choice, and the seed."""
    options = [*_sides(taken), ('arguments', shlex.join(taken.arguments)), ('seed', str(taken.seed))]
    options += [(name, text) for name, text, value, usual in (
        *_schedule(taken),
        ('delta', f'{100 * taken.delta:g}', taken.delta, Recordings.delta),
        ('metrics', ','.join(taken.metrics), taken.metrics, Recordings.metrics),
        ('require', ','.join(taken.required), taken.required, Recordings.required),
        ('entry', taken.entry, taken.entry, ''),
        ('cpu_field', taken.cpu_field, taken.cpu_field, USUAL_CPU_FIELD)) if value != usual]
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


def _schedule(taken):
    """(option, text, value, usual value) of each."""
    schedule, usual = taken.schedule, USUAL_SCHEDULES[taken.method]
    turn = ('turn', str(schedule.turn), schedule.turn, usual.turn)
    warmup = ('warmup', str(schedule.warmup), schedule.warmup, usual.warmup)
    looks = ('looks', ','.join(map(str, schedule.looks)), schedule.looks, usual.looks)
    if taken.method not in WHOLE_METHODS:
        return turn, warmup, looks
    if schedule.turn == usual.turn:
        return (looks,)
    return ('warmup', str(schedule.behind_switch), schedule.behind_switch, usual.warmup), looks
