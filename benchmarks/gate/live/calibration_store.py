"""Where calibrations of this machine are kept and found again: one file for each machine, method and schedule."""
import dataclasses
import hashlib
import json
import os

from benchmarks.gate import calibration as calibrations
from benchmarks.gate import calibration_file
from benchmarks.gate.recording import GateError
from reports.json_file import ReportError
from reports.output_file import OutputFile

# What --calibration names instead of a file.
NONE = 'none'


class CalibrationStore:
    """`choice`: what --calibration names, a file, NONE, or None for the user's cache folder.

    Errors: GateError of the constructor for a file that is chosen and cannot be read, or is of another machine than
    `machine` (a fingerprint; labels that it does not have yet are not compared). `is_read`: it is not about to be made.
    """

    def __init__(self, choice, environment, folder, machine, is_read=True):
        self._path = choice and choice != NONE and os.path.join(folder, choice)
        self._is_off = choice == NONE
        self._cache = _cache_folder(environment)
        self._chosen = _load(self._path) if self._path and is_read else None
        if self._chosen:
            known = {label: value for label, value in self._chosen.machine.items() if label in machine}
            calibrations.check_machine(dataclasses.replace(self._chosen, machine=known), machine)

    def find(self, taken):
        """The Calibration for Recordings, None where there is none. Errors: GateError for one that cannot be read.

        One that was chosen is given whatever the recordings are; verdict.judge refuses it where it does not fit.
        """
        if self._chosen:
            return self._chosen
        path = self.path(taken.machine, taken.method, taken.schedule)
        return _load(path) if os.path.exists(path) else None

    def path(self, machine, method, schedule):
        """The file of a calibration; '' where none is to be kept."""
        if self._is_off or self._path:
            return self._path or ''
        fingerprint = json.dumps([machine, method, calibration_file.schedule_to_json(schedule)], sort_keys=True)
        return os.path.join(
            self._cache, f'calibration-{hashlib.sha256(fingerprint.encode()).hexdigest()[:16]}.json')

    def check_writable(self):
        """Errors: OSError where no calibration can be kept. Makes the user's cache folder."""
        if not self._is_off and not self._path:
            os.makedirs(self._cache, exist_ok=True)
        if not self._is_off:
            OutputFile(self._path or os.path.join(self._cache, 'calibration.json'))

    def keep(self, calibration):
        """Writes a Calibration, beside what the same file says of other entries; its path, '' where it is not kept."""
        path = self.path(calibration.machine, calibration.method, calibration.schedule)
        if path:
            OutputFile(path).write(calibration_file.to_text(_with_others(calibration, path)))
        return path


def _with_others(calibration, path):
    try:
        before = calibration_file.load(path)
    except ReportError:
        return calibration  # there is none, or none that could be used
    if dataclasses.replace(before, half_widths={}) != dataclasses.replace(calibration, half_widths={}):
        return calibration
    measured = {entry for entry, _ in calibration.half_widths}
    others = {test: value for test, value in before.half_widths.items() if test[0] not in measured}
    return dataclasses.replace(calibration, half_widths={**others, **calibration.half_widths})


def _cache_folder(environment):
    """As the XDG Base Directory Specification has it: relative paths are ignored."""
    chosen = environment.get('XDG_CACHE_HOME', '')
    home = environment.get('HOME') or os.path.expanduser('~')
    return os.path.join(chosen if os.path.isabs(chosen) else os.path.join(home, '.cache'), 'lockstep')


def _load(path):
    try:
        return calibration_file.load(path)
    except ReportError as error:
        raise GateError(f'[calibration] {error}; --calibrate makes it anew, --calibration=none goes without') from error
