"""Recordings with chosen step times, for tests."""
from benchmarks.gate.recording import Half, Recording, Recordings, Schedule, Side, Steps

MACHINE = {'cpu': 'Example CPU', 'cores': 2}
# Two turns of warm-up, then two used ones.
SCHEDULE = Schedule(turn=15, warmup=20, behind_switch=2, looks=(4, 6, 9, 13, 19, 28))
STEPS = 60
QUIET, LOADED = 0.0, 0.5


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
