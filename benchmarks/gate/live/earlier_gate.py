"""Recordings of an earlier gate in the file that a new one is to write: gone on with, or not lost by accident.

Whoever runs a gate until it passes has it pass. So recordings of the same two programs are not replaced; with --again
the gate goes on with them, by their rules, until its looks are used up.
"""
import dataclasses
import os

from benchmarks.gate import recording_file, verdict
from benchmarks.gate.live.process import side_command
from benchmarks.gate.recording import SIDES, WHOLE_METHODS, GateError
from benchmarks.gate.verdict import Outcome
from reports.json_file import ReportError


def check_is_record(path):
    """Errors: GateError where the file holds something else than recordings."""
    _load(path)


def check_replaceable(path, taken):
    """Errors: GateError where the file holds what `taken` (Recordings, as yet none) would be a repetition of, or
    something else than recordings."""
    earlier, _ = _load(path)
    if earlier and earlier.recordings and not _difference(earlier, taken):
        raise GateError(
            f'[record] {path} holds {len(earlier.recordings)} recordings of these two programs, and one of several '
            'gates of the same passes by chance; wanted --again, which goes on with them, or another file')


def go_on(path, options, taken):
    """(Recordings, Calibration or None) of the file, for the sides and the machine of `taken`.

    Errors: GateError where there are none, where sides, machine or an option that was given differ, and for a gate that
    needs no more recordings.
    """
    earlier, calibration = _load(path)
    if earlier is None:
        raise GateError(f'[again] there are no recordings in {path}; wanted those of a gate to go on with')
    difference = _difference(earlier, taken) or _other_option(earlier, options)
    if difference:
        raise GateError(f'[again] {path}: {difference}; wanted the same')
    judged = verdict.judge(earlier, calibration)
    if judged.outcome != Outcome.UNDECIDED or verdict.judge(
            dataclasses.replace(earlier, stopped=''), calibration).settled:
        used_up = ', which uses up its looks' if judged.looked_at == earlier.schedule.looks[-1] else ''
        raise GateError(f'[again] {path}: the gate ended {judged.outcome.value} at {judged.looked_at} recordings'
                        f'{used_up}; more would not be looked at (--judge={path} tells it once more)')
    return earlier, calibration


def _load(path):
    """(Recordings, Calibration), (None, None) where there is no file, an empty one, or none that could be read back."""
    if not os.path.isfile(path) or os.path.getsize(path) == 0:
        return None, None
    try:
        return recording_file.load(path)
    except ReportError as error:
        raise GateError(
            f'[record] {path} holds something else than recordings ({error}); wanted another file') from error


def _difference(earlier, taken):
    """What differs in sides or machine, in words; '' where nothing does."""
    for side in SIDES:
        kept, now = getattr(earlier, side), getattr(taken, side)
        for name in ('command', 'commit', 'program'):
            if getattr(kept, name) != getattr(now, name):
                return f'{side}, {name}: recorded {getattr(kept, name)!r}, now {getattr(now, name)!r}'
    for label, value in taken.machine.items():
        if earlier.machine.get(label) != value:
            return f'machine, {label}: recorded {earlier.machine.get(label)!r}, now {value!r}'
    return ''


def _other_option(earlier, options):
    """What an option asks for that was not asked for before."""
    schedule = earlier.schedule
    arguments = None if options.arguments is None else side_command.words(options.arguments, '--arguments')
    kept = {'seed': (options.seed, earlier.seed), 'delta': (options.delta, earlier.delta),
            'metrics': (options.metrics, earlier.metrics), 'require': (options.require, earlier.required),
            'entry': (options.entry, earlier.entry), 'cpu_field': (options.cpu_field, earlier.cpu_field),
            'looks': (options.looks, schedule.looks), 'arguments': (arguments, earlier.arguments)}
    if earlier.method not in WHOLE_METHODS:
        kept.update(turn=(options.turn, schedule.turn), warmup=(options.warmup, schedule.warmup))
    for name, (given, recorded) in kept.items():
        if given is not None and given != recorded:
            return f'--{name}: recorded {recorded!r}, now {given!r}'
    return ''
