"""Recordings with chosen step times, and lines of a history with chosen log ratios, for tests."""
import dataclasses
import datetime

from benchmarks.gate.history import Line
from benchmarks.gate.recording import Half, Recording, Recordings, Schedule, Side, Steps

MACHINE = {'cpu': 'Example CPU', 'cores': 2}
# Two turns of warm-up, then two used ones.
SCHEDULE = Schedule(turn=15, warmup=20, behind_switch=2, looks=(4, 6, 9, 13, 19, 28))
STEPS = 60
QUIET, LOADED = 0.0, 0.5
# Of the first night.
BEGIN = datetime.datetime(2026, 9, 1, 3, tzinfo=datetime.timezone.utc)


def half(cpu, wall, others=QUIET, names=('Train/a',)):
    """A half of 1 s in which every step of every entry took `cpu` and `wall` ms; others used a share of two cores."""
    steps = Steps((cpu,) * STEPS, (wall,) * STEPS)
    return Half(dict.fromkeys(names, steps), elapsed=1.0, own=1.0, busy=1.0 + 2 * others)


def pair(cpu_ratio=1.0, wall_ratio=None, speed=1.0, others=QUIET, names=('Train/a',)):
    """A recording whose candidate takes `cpu_ratio` and `wall_ratio` (the same) times as long as the baseline."""
    wall_ratio = cpu_ratio if wall_ratio is None else wall_ratio
    return Recording('baseline', half(4.0 * speed, 2.0 * speed, others, names),
                     half(4.0 * speed * cpu_ratio, 2.0 * speed * wall_ratio, others, names))


def recordings(pairs, **changes):
    """Recordings of different commits."""
    fields = {'machine': MACHINE, 'baseline': Side(('train',), 'a1'), 'candidate': Side(('train',), 'b2'),
              'recordings': tuple(pairs), 'schedule': SCHEDULE, **changes}
    return Recordings(**fields)


def jittered(ratio, count=28, others=QUIET, wall_ratio=None):
    """`count` pairs whose log ratios lie 0.5 % around that of `ratio`, up and down in turns."""
    wall_ratio = ratio if wall_ratio is None else wall_ratio
    return [pair(ratio * jitter, wall_ratio * jitter, others=others)
            for jitter in (1.005 if number % 2 else 1 / 1.005 for number in range(count))]


def without_load(recording):
    """The same, of a machine whose load could not be read at first."""
    return dataclasses.replace(recording, baseline=dataclasses.replace(recording.baseline, busy=None))


def date(number):
    """The date of the n-th night, from 0."""
    return f'{BEGIN + datetime.timedelta(days=number):%Y-%m-%dT%H:%M:%SZ}'


def line(estimate, number=0, **changes):
    """A fine test of the n-th night, commit c<n> against a1, with bounds 2 % away; estimate None: not judged."""
    judged = estimate is not None
    fields = {
        'date': date(number),
        'gate': f'gate{number}',
        'baseline': Side(('train',), 'a1'),
        'candidate': Side(('train',), f'c{number}'),
        'machine': MACHINE,
        'method': 'paced',
        'entry': 'Train/a',
        'metric': 'cpu',
        'outcome': 'fine' if judged else 'not judged',
        'estimate': estimate,
        'lower': estimate - 0.02 if judged else None,
        'upper': estimate + 0.02 if judged else None,
        'delta': 0.03,
        'others_share': 0.25,
        'reason': '' if judged else 'busy',
    }
    return Line(**{**fields, **changes})


def nights(estimates, **changes):
    return [line(estimate, number, **changes) for number, estimate in enumerate(estimates)]
