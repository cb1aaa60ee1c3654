"""The history of gates: a file to which each gate adds a line a test (schemas/history.schema.json, format 1).

Lines are only added. Later lines of a gate, which is judged again, continued or annotated, replace the earlier ones.
"""

import collections
import dataclasses
import errno
import fcntl
import hashlib
import json
import os
import stat
import statistics

from benchmarks.gate import ratios, recording_file
from benchmarks.gate.recording import GateError, Side
from reports import json_file, json_text
from reports.json_schema import Schema

FORMAT = 1
SCHEMA = os.path.join(recording_file.SCHEMAS, "history.schema.json")
LONGEST_REASON = 120
# Lines that a note names one by one.
MOST_NAMED = 8


@dataclasses.dataclass(frozen=True)
class Line:
    """`date`: UTC, '2026-11-23T06:20:00Z'. `gate`: which one, see `of_verdict`. `estimate`, `lower`, `upper`: of the
    log ratio, candidate over baseline; None where it was not judged. `reason`: why, or why nothing follows from them.
    `delta`: a share of the time. `others_share`: of the cores, the median over the recordings, 0 to 1; None where it
    is unknown. `note`: the user's note on this gate.
    """

    date: str
    gate: str
    baseline: Side
    candidate: Side
    machine: dict
    method: str
    entry: str
    metric: str
    outcome: str
    estimate: float | None
    lower: float | None
    upper: float | None
    delta: float
    others_share: float | None
    reason: str = ""
    note: str = ""

    @property
    def anchor(self):
        return anchor(self.baseline)

    @property
    def is_point(self):
        """Whether its estimate can be compared with others: it was judged, and both sides met the same machine."""
        return self.estimate is not None and self.method != "stored"


def anchor(baseline):
    """What a candidate is compared with: a Side's commit, or its command and program where no commit says it all."""
    return baseline.commit if baseline.commit and not baseline.is_changed else (baseline.command, baseline.program)


def of_verdict(verdict, taken, date, note=""):
    """The Lines of a Verdict on Recordings, one a test. `date`: a datetime in UTC.

    A gate is identified by its beginning, so it stays the same one when it is judged again or continued.
    """
    known = ratios.known_shares(verdict.seen(taken), taken.machine["cores"])
    gate = _begun(taken)
    return [
        Line(
            f"{date:%Y-%m-%dT%H:%M:%SZ}",
            gate,
            taken.baseline,
            taken.candidate,
            taken.machine,
            taken.method,
            test.entry,
            test.metric,
            test.outcome.value,
            *(dataclasses.astuple(test.interval) if test.interval else [None] * 3),
            test.delta,
            statistics.median(known) if known else None,
            test.reason,
            note,
        )
        for test in verdict.tests
    ]


def to_text(line):
    """A Line as JSON on one line, its end left out."""
    sides = {name: getattr(line, name).to_json() for name in ("baseline", "candidate")}
    return json.dumps({"format": FORMAT, **vars(line), **sides}, ensure_ascii=False, allow_nan=False)


class Parser:
    """Reads lines, and says why one cannot be read."""

    def __init__(self):
        self._schema = Schema(json_file.load(SCHEMA))

    def parse(self, row):
        """(Line, '') of a row's bytes, or (None, why not)."""
        try:
            content = json_text.parse(row, figures=True)
        except json_text.NotJson:
            return None, "not JSON"
        except json_text.JsonError as error:
            return None, str(error)[:LONGEST_REASON]
        if isinstance(content, dict) and content.get("format", FORMAT) != FORMAT:
            return None, f"format {json.dumps(content['format'])[:LONGEST_REASON]}, wanted {FORMAT}"
        if misfit := self._schema.misfit(content):
            return None, misfit[:LONGEST_REASON]
        sides = {name: Side.from_json(content[name]) for name in ("baseline", "candidate")}
        return Line(**{field.name: content[field.name] for field in dataclasses.fields(Line)} | sides), ""


def _begun(taken):
    begun = dataclasses.replace(taken, recordings=taken.recordings[:1], stopped="")
    return hashlib.sha256(recording_file.to_text(begun).encode()).hexdigest()[:16]


def append(path, verdict, taken, date, note=""):
    """Adds the lines of a Verdict on Recordings, all or none; safe while other gates add theirs.

    `date`: a datetime in UTC. Errors: OSError; the file is then as it was.
    """
    text = "".join(to_text(line) + "\n" for line in of_verdict(verdict, taken, date, note)).encode()
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        size = os.fstat(descriptor).st_size
        # An unfinished line must not merge with the next one.
        is_torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        _write(descriptor, b"\n" * is_torn + text, size)
    finally:
        os.close(descriptor)


def check_appendable(path):
    """Looks, before the work begins, whether `append` can write; leaves everything as it is. Errors: OSError."""
    path = os.path.realpath(path)
    if os.path.exists(path):
        if not os.path.isdir(path) and not stat.S_ISREG(os.stat(path).st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", path)
        os.close(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC))
        return
    folder = os.path.dirname(path)
    problem = errno.EACCES if os.path.isdir(folder) else errno.ENOENT
    if problem == errno.ENOENT or not os.access(folder, os.W_OK):
        raise OSError(problem, os.strerror(problem), path)


def read(path, machine=None):
    """([Line] by date, notes): of each test of each gate the last line, with the first one's date and the last note.

    `machine`: a fingerprint; lines of another one are left out, as damaged ones and those of another format are.
    `notes` say which and why, a text a reason. Errors: GateError for a file that cannot be read.
    """
    try:
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            rows = file.read().split(b"\n")
    except OSError as error:
        raise GateError(f"[history] {path}: {error.strerror}") from error
    found, skipped, parser = {}, collections.defaultdict(list), Parser()
    for number, row in enumerate(rows, 1):
        if not row.strip():
            continue
        line, reason = parser.parse(row)
        if line and machine is not None and line.machine != machine:
            reason = "of another machine"
        if reason:
            skipped[reason].append(number)
        else:
            test = line.gate, line.entry, line.metric
            found[test] = _replaced(found[test], line) if test in found else line
    notes = [f"[history] {path}: skipped {_named(numbers)}: {reason}" for reason, numbers in skipped.items()]
    return sorted(found.values(), key=lambda line: line.date), notes


def _replaced(old, new):
    """A test's line after a later one."""
    return dataclasses.replace(new, date=old.date, note=new.note or old.note)


def _write(descriptor, data, size):
    """Adds all of the data, or restores the old size."""
    try:
        if os.write(descriptor, data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(descriptor)
    except BaseException:
        os.ftruncate(descriptor, size)
        raise


def _named(numbers):
    """'line 3', 'lines 3, 5 and 7', or how many more there are."""
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    shown = [str(number) for number in numbers[:MOST_NAMED]]
    more = f"{len(numbers) - MOST_NAMED} more" if len(numbers) > MOST_NAMED else shown.pop()
    return f"lines {', '.join(shown)} and {more}"
