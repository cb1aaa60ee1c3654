"""How exact a gate is on a machine, and from which slowdown on it is to call: delta."""
import dataclasses
import math

from benchmarks.gate import looks, ratios, recording_check
from benchmarks.gate.recording import SMALLEST_DELTA, GateError, Schedule

# What needs a larger delta than this is not judged: a gate that calls 20 % only guards nothing.
LARGEST_DELTA = 0.10
# Two-sided, of the interval whose half-width is kept.
CONFIDENCE = 0.95
# Recordings of which a half-width is measured; fewer say more of chance than of the machine.
FEWEST = 4


@dataclasses.dataclass(frozen=True)
class Calibration:
    """`half_widths`: (entry, metric) -> half-width of the 95 % interval of the log ratio, at the last look, where
    both sides were the same program. `machine`: the fingerprint of where that was; `method` and `schedule`: how."""
    machine: dict
    half_widths: dict
    method: str = 'paced'
    schedule: Schedule = Schedule()


def measure(taken):
    """The Calibration of A/A recordings (Recordings, as many as the last look sees).

    Wall time is measured on the quiet recordings, as it is judged on them; where there are fewer than FEWEST it is
    left out. Errors: GateError as recording_check.check, for too few recordings, and for sides that differ.
    """
    recording_check.check(taken)
    if not taken.is_same_program():
        raise GateError('[calibrate] baseline and candidate differ; wanted the same command twice')
    wanted = taken.schedule.looks[-1]
    if len(taken.recordings) != wanted:
        raise GateError(f'[calibrate] {len(taken.recordings)} recordings; wanted {wanted}')
    pairs = ratios.of_all(taken)
    half_widths = {}
    for entry in taken.entry_names():
        for metric in taken.metrics:
            values = ratios.usable(pairs, entry, metric)
            if len(values) >= FEWEST:
                tail = (1 - CONFIDENCE) / 2
                interval = looks.student_interval(values, tail, tail)
                half_widths[entry, metric] = (interval.upper - interval.lower) / 2
    return Calibration(taken.machine, half_widths, taken.method, taken.schedule)


def delta(calibration, entry, metric, smallest=SMALLEST_DELTA):
    """The slowdown that counts, as a share of the time (0.03: 3 %): the larger of `smallest` and twice the half-width.

    2 h <= delta is the same as a standard error of at most delta / 4, which is what 0.5 % false alarms and 95 % of
    slowdowns of 2 delta need. Without a calibration, or one of this test, `smallest`.
    """
    half_width = calibration.half_widths.get((entry, metric), 0.0) if calibration else 0.0
    return max(smallest, math.expm1(2 * half_width))


def check_fits(calibration, taken):
    """Errors: GateError for a calibration of another machine than that of Recordings, or of ones otherwise taken."""
    if calibration is None:
        return
    check_machine(calibration, taken.machine)
    for name in ('method', 'schedule'):
        kept, wanted = getattr(calibration, name), getattr(taken, name)
        if kept != wanted:
            raise GateError(f'[judge] calibration of another {name}: {kept}; wanted {wanted}')


def check_machine(calibration, machine):
    """Errors: GateError for a calibration of a machine that differs in any label."""
    labels = sorted(calibration.machine.keys() | machine.keys())
    for label in labels:
        if calibration.machine.get(label) != machine.get(label):
            raise GateError(f'[judge] calibration of another machine: {label} {calibration.machine.get(label)!r}; '
                            f'wanted {machine.get(label)!r}')
