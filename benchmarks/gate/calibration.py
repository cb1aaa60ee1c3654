"""A gate's precision on a machine, and delta, the smallest slowdown that it reports: measured, stored and loaded."""

import dataclasses
import hashlib
import json
import math
import os

from benchmarks.gate import ratios, recording, recording_file
from benchmarks.gate.recording import SMALLEST_DELTA, Calibration, GateError
from reports.json_file import ReportError
from reports.output_file import OutputFile

# What needs a larger delta than this is not judged: a gate that calls 20 % only guards nothing.
LARGEST_DELTA = 0.10
# Two-sided, of the interval whose half-width is kept.
CONFIDENCE = 0.95
# Recordings of which a half-width is measured; fewer say more of chance than of the machine.
FEWEST = 4
# What --calibration names instead of a file.
NONE = "none"


def measure(taken):
    """The Calibration of A/A recordings (Recordings, as many as the last look sees).

    Wall time is measured on the quiet recordings, as it is judged on them; where there are fewer than FEWEST it is
    left out. Errors: GateError as recording.check, for too few recordings, and for sides that differ.
    """
    recording.check(taken)
    if not taken.is_same_program():
        raise GateError("[calibrate] baseline and candidate differ; wanted the same command twice")
    wanted = taken.schedule.looks[-1]
    if len(taken.recordings) != wanted:
        raise GateError(f"[calibrate] {len(taken.recordings)} recordings; wanted {wanted}")
    pairs = ratios.of_all(taken)
    half_widths = {}
    for test in taken.tests():
        values = ratios.usable(pairs, *test)
        if len(values) >= FEWEST:
            tail = (1 - CONFIDENCE) / 2
            interval = ratios.student_interval(values, tail, tail)
            half_widths[test] = (interval.upper - interval.lower) / 2
    return Calibration(taken.machine, half_widths, taken.method, taken.schedule)


def delta(calibration, entry, metric, smallest=SMALLEST_DELTA):
    """The slowdown that counts, as a share of the time (0.03: 3 %): the larger of `smallest` and twice the half-width.

    2 h <= delta is the same as a standard error of at most delta / 4, which is what 0.5 % false alarms and 95 % of
    slowdowns of 2 delta need. Without a calibration, or one of this test, `smallest`.
    """
    half_width = calibration.half_widths.get((entry, metric), 0.0) if calibration else 0.0
    return max(smallest, math.expm1(2 * half_width))


def deltas(calibration, taken):
    """(entry, metric) -> delta of all tests of Recordings."""
    return {test: delta(calibration, *test, taken.delta) for test in taken.tests()}


def check_fits(calibration, taken):
    """Errors: GateError for a calibration of another machine than that of Recordings, or of ones otherwise taken."""
    if calibration is None:
        return
    check_machine(calibration, taken.machine)
    for name in ("method", "schedule"):
        kept, wanted = getattr(calibration, name), getattr(taken, name)
        if kept != wanted:
            raise GateError(f"[judge] calibration of another {name}: {kept}; wanted {wanted}")


def check_machine(calibration, machine):
    """Errors: GateError for a calibration of a machine that differs in any label."""
    labels = sorted(calibration.machine.keys() | machine.keys())
    for label in labels:
        if calibration.machine.get(label) != machine.get(label):
            raise GateError(
                f"[judge] calibration of another machine: {label} {calibration.machine.get(label)!r}; "
                f"wanted {machine.get(label)!r}"
            )


class CalibrationStore:
    """Where calibrations of this machine are kept and found again: one file for each machine, method and schedule.

    `choice`: what --calibration names, a file, NONE, or None for the user's cache folder.

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
            check_machine(dataclasses.replace(self._chosen, machine=known), machine)

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
            return self._path or ""
        fingerprint = json.dumps([machine, method, schedule.to_json()], sort_keys=True)
        return os.path.join(self._cache, f"calibration-{hashlib.sha256(fingerprint.encode()).hexdigest()[:16]}.json")

    def check_writable(self):
        """Errors: OSError where no calibration can be kept. Makes the user's cache folder."""
        if not self._is_off and not self._path:
            os.makedirs(self._cache, exist_ok=True)
        if not self._is_off:
            OutputFile(self._path or os.path.join(self._cache, "calibration.json"))

    def keep(self, calibration):
        """Adds a Calibration to what the file has of other entries; its path, '' where it is not kept."""
        path = self.path(calibration.machine, calibration.method, calibration.schedule)
        if path:
            OutputFile(path).write(recording_file.calibration_to_text(_with_others(calibration, path)))
        return path


def _with_others(calibration, path):
    try:
        before = recording_file.load_calibration(path)
    except ReportError:
        return calibration  # there is none, or none that could be used
    if dataclasses.replace(before, half_widths={}) != dataclasses.replace(calibration, half_widths={}):
        return calibration
    measured = {entry for entry, _ in calibration.half_widths}
    others = {test: value for test, value in before.half_widths.items() if test[0] not in measured}
    return dataclasses.replace(calibration, half_widths={**others, **calibration.half_widths})


def _cache_folder(environment):
    """As the XDG Base Directory Specification has it: relative paths are ignored."""
    chosen = environment.get("XDG_CACHE_HOME", "")
    home = environment.get("HOME") or os.path.expanduser("~")
    return os.path.join(chosen if os.path.isabs(chosen) else os.path.join(home, ".cache"), "lockstep")


def _load(path):
    try:
        return recording_file.load_calibration(path)
    except ReportError as error:
        raise GateError(f"[calibration] {error}; --calibrate replaces it, --calibration=none does without") from error
