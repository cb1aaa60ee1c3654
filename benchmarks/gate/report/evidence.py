"""What a verdict rests on, as facts for people: recordings, load, both sides; and the command that takes it again."""
import shlex
import statistics

from benchmarks.gate import ratios, verdict as verdicts
from benchmarks.gate.recording import (
    CHANGED, SIDES, TARGET, USUAL_CPU_FIELD, USUAL_SCHEDULES, WHOLE_METHODS, Recordings)
from benchmarks.gate.report import wording
from benchmarks.gate.verdict import Outcome

METHODS = {
    'paced': 'paced: two processes that handed the machine over after every {turn} steps',
    'fresh': 'fresh: new processes, one at a time',
    'benchmark': 'benchmark: Google Benchmark programs, one at a time',
    'stored': 'stored: new processes of the candidate, against a result that was there: nothing was interleaved',
}
PROGRAM = ('./bazelw', 'run', '//benchmarks:gate', '--')
# Characters of a commit or digest that tell it from others.
SHORT = 12
WALL_TIME = ('Wall time that is not judged is not fine: while others use the machine it says nothing of a quiet one, '
             'and CPU time does not see waits.')


def facts(verdict, taken, calibration=None):
    """[(label, text)] of a Verdict on Recordings, by a Calibration or none."""
    found = [
        ('recordings', _recordings(verdict, taken)),
        ("others' share", load(verdict, taken)),
        ('method', METHODS[taken.method].format(turn=taken.schedule.turn)),
        ('seed', str(taken.seed)),
        ('baseline', side(taken.baseline)),
        ('candidate', side(taken.candidate)),
        ('arguments', shlex.join(taken.arguments) or 'none'),
        ('machine', machine(taken.machine)),
        ('calibration', _calibration(verdict, calibration)),
    ]
    if taken.method == 'benchmark':
        found += [('benchmarks', taken.entry or 'all'), ('CPU time', taken.cpu_field)]
    if taken.is_same_program():
        found.append(('both sides', 'the same program (A/A)'))
    if taken.stopped:
        found.append(('stopped', wording.STOPPED.get(taken.stopped, taken.stopped)))
    found += [('delta', text) for text in _raised(verdict, taken)]
    if any(test.metric == 'wall' and test.outcome == Outcome.NOT_JUDGED for test in verdict.tests):
        found.append(('wall time', WALL_TIME))
    return found


def load(verdict, taken):
    """What others used of the machine, in words."""
    known = ratios.known_shares(verdict.seen(taken), taken.machine['cores'])
    if not known:
        return 'unknown'
    return (f'median {100 * statistics.median(known):.0f} % of the cores, {100 * min(known):.0f} to '
            f'{100 * max(known):.0f} %; quiet is up to {100 * ratios.QUIET:.0f} %')


def name(side_):
    """What a side is called in short: its commit, where that is unknown its program's digest or its command."""
    if side_.commit:
        return side_.commit.removesuffix(CHANGED)[:SHORT] + (CHANGED if side_.is_changed else '')
    return f'program {side_.program[:SHORT]}' if side_.program else shlex.join(side_.command)


def _calibration(verdict, calibration):
    """Its half-widths, for the tests that it has any of."""
    if calibration is None:
        return 'none: delta is not raised for what this machine cannot tell apart'
    found = {metric: [wording.in_percent(calibration.half_widths[test.entry, metric]) for test in verdict.tests
                      if test.metric == metric and (test.entry, metric) in calibration.half_widths]
             for metric in wording.TIMES}
    texts = [f'{min(values):.1f} to {max(values):.1f} % in {wording.TIMES[metric]}'
             for metric, values in found.items() if values]
    return f'half-widths here: {", ".join(texts) or "of none of these tests"}'


def machine(fingerprint):
    return ', '.join(f'{label} {value}' for label, value in fingerprint.items())


def side(side_):
    """A side's command for a shell, and its commit."""
    return shlex.join(side_.command) + (f' at {side_.commit}' if side_.commit else '')


def _recordings(verdict, taken):
    seconds = sum(each.seconds for each in verdict.seen(taken))
    return (f'{verdict.looked_at} of {len(taken.recordings)} looked at (at most {taken.schedule.looks[-1]}), '
            f'{verdict.quiet} of them on a quiet machine, {seconds:.0f} s')


def _raised(verdict, taken):
    """Why delta is larger than usual, a text for each such test."""
    return [f'raised to {100 * test.delta:.3g} % for {test.entry} {test.metric}: twice the half-width that a program '
            'against itself had on this machine'
            for test in verdict.tests if wording.is_raised(test, taken)]


def levels():
    """How often a gate errs, in words."""
    return (f'The lower bound is such that a gate of programs that are equally fast calls a regression in at most '
            f'{100 * verdicts.ALPHA:g} % of cases, over all tests and looks; the upper one such that a test passes a '
            f'slowdown of 2 delta in at most {100 * verdicts.BETA:g} %.')


def repeat(taken):
    """The command of Recordings, quoted for a shell: what differs from the gate's own choice, and the seed."""
    options = [*_repeated_sides(taken), ('arguments', shlex.join(taken.arguments)), ('seed', str(taken.seed))]
    options += [(name, text) for name, text, value, usual in (
        *_repeated_schedule(taken),
        ('delta', f'{100 * taken.delta:g}', taken.delta, Recordings.delta),
        ('metrics', ','.join(taken.metrics), taken.metrics, Recordings.metrics),
        ('require', ','.join(taken.required), taken.required, Recordings.required),
        ('entry', taken.entry, taken.entry, ''),
        ('cpu_field', taken.cpu_field, taken.cpu_field, USUAL_CPU_FIELD)) if value != usual]
    return ' '.join([*PROGRAM, *(f'--{name}={shlex.quote(text)}' for name, text in options)])


def _repeated_sides(taken):
    """A built side is named by its commit; the tree with changes of its own has none, and is the candidate unnamed."""
    sides = {name: getattr(taken, name) for name in SIDES}
    targets = [each.command[0] for each in sides.values() if each.is_built][:1]
    options = [('target', target) for target in targets if target != TARGET]
    for name, each in sides.items():
        if not each.is_built:
            options.append((name, shlex.join(each.command)))
        elif not each.is_changed:
            options.append((name, each.commit))
    return options


def _repeated_schedule(taken):
    """(option, text, value, usual value) of each."""
    schedule, usual = taken.schedule, USUAL_SCHEDULES[taken.method]
    looks = ('looks', ','.join(map(str, schedule.looks)), schedule.looks, usual.looks)
    if taken.method not in WHOLE_METHODS:
        numbers = [(name, getattr(schedule, name), getattr(usual, name)) for name in ('turn', 'warmup')]
        return *((name, str(value), value, usual_value) for name, value, usual_value in numbers), looks
    if schedule.turn == usual.turn:
        return (looks,)
    return ('warmup', str(schedule.behind_switch), schedule.behind_switch, usual.warmup), looks
