"""Refuses recordings that nothing can be concluded from, whatever their numbers are."""
import math

from benchmarks.gate.recording import METRICS, SIDES, GateError


def check(taken):
    """Returns `taken` (Recordings).

    Errors: GateError for entries, steps or sides that do not match, for a time that is no positive number, and for
    turns that cannot be cut out.
    """
    _check_schedule(taken)
    names = taken.entry_names()
    for number, recording in enumerate(taken.recordings):
        for side in SIDES:
            _check_half(getattr(recording, side), names, taken.schedule, f'recording {number}, {side}')
        for name in names:
            got = len(recording.candidate.entries[name].cpu)
            wanted = len(recording.baseline.entries[name].cpu)
            if got != wanted:
                raise GateError(f'[judge] recording {number}, {name}: {got} steps of the candidate, {wanted} of the '
                                'baseline; wanted as many')
    return taken


def _check_schedule(taken):
    looks = taken.schedule.looks
    if list(looks) != sorted(set(looks)) or looks[0] < 2:
        raise GateError(f'[judge] looks at {list(looks)} recordings; wanted rising numbers from 2 on')
    if taken.schedule.behind_switch >= taken.schedule.turn:
        raise GateError(f'[judge] {taken.schedule.behind_switch} steps dropped of a turn of {taken.schedule.turn}; '
                        'wanted fewer')
    if not set(taken.required) <= set(taken.metrics):
        raise GateError(f'[judge] required {list(taken.required)}; wanted some of {list(taken.metrics)}')


def _check_half(half, names, schedule, place):
    if not half.entries or set(half.entries) != set(names):
        raise GateError(f'[judge] {place}: entries {sorted(half.entries)}; wanted {sorted(names)}, those of the first '
                        'baseline')
    for name, steps in half.entries.items():
        count = len(steps.cpu)
        if len(steps.wall) != count:
            raise GateError(f'[judge] {place}, {name}: {len(steps.wall)} wall times; wanted {count}, as many as CPU '
                            'times')
        if count % schedule.turn or count <= _first_used(schedule):
            raise GateError(f'[judge] {place}, {name}: {count} steps; wanted whole turns of {schedule.turn}, and more '
                            f'than {_first_used(schedule)}')
        for metric in METRICS:
            _check_times(getattr(steps, metric), f'{place}, {name}, {metric}')
    _check_load(half, place)


def _first_used(schedule):
    return -(-schedule.warmup // schedule.turn) * schedule.turn


def _check_times(times, place):
    for step, time in enumerate(times):
        if not (math.isfinite(time) and time > 0):
            raise GateError(f'[judge] {place}, step {step}: {time} ms; wanted a positive number')


def _check_load(half, place):
    for label in ('elapsed', 'own', 'busy'):
        value = getattr(half, label)
        if value is not None and not (math.isfinite(value) and value >= 0):
            raise GateError(f'[judge] {place}: {label} {value} s; wanted a number from 0 on')
