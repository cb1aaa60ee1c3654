"""One test of one gate as a history keeps it: schemas/history.schema.json, format 1."""
import dataclasses
import hashlib
import json
import os
import statistics

import jsonschema

from benchmarks.gate import ratios, recording_file
from benchmarks.gate.recording import Side
from reports import json_file, json_text

FORMAT = 1
SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'schemas', 'history.schema.json')
LONGEST_REASON = 120


@dataclasses.dataclass(frozen=True)
class Line:
    """`date`: UTC, '2026-11-23T06:20:00Z'. `gate`: which one, see `of_verdict`. `estimate`, `lower`, `upper`: of the
    log ratio, candidate over baseline; None where it was not judged. `reason`: why, or why nothing follows from them.
    `delta`: a share of the time. `others_share`: of the cores, the median over the recordings, 0 to 1; None where it
    is unknown. `note`: what a person said of this gate.
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
    reason: str = ''
    note: str = ''

    @property
    def anchor(self):
        return anchor(self.baseline)

    @property
    def is_point(self):
        """Whether its estimate can be held against others: it was judged, and both sides met the same machine."""
        return self.estimate is not None and self.method != 'stored'


def anchor(baseline):
    """What a candidate is held against: a Side's commit, or its command and program where no commit says it all."""
    return baseline.commit if baseline.commit and not baseline.is_changed else (baseline.command, baseline.program)


def of_verdict(verdict, taken, date, note=''):
    """The Lines of a Verdict on Recordings, one a test. `date`: a datetime in UTC.

    A gate is known by how it began, so that it is the same one when it is judged again or goes on.
    """
    known = ratios.known_shares(verdict.seen(taken), taken.machine['cores'])
    gate = _begun(taken)
    return [Line(f'{date:%Y-%m-%dT%H:%M:%SZ}', gate, taken.baseline, taken.candidate, taken.machine, taken.method,
                 test.entry, test.metric, test.outcome.value, *_numbers(test.interval), test.delta,
                 statistics.median(known) if known else None, test.reason, note)
            for test in verdict.tests]


def to_text(line):
    """A Line as JSON on one line, its end left out."""
    sides = {name: recording_file.side_to_json(getattr(line, name)) for name in ('baseline', 'candidate')}
    return json.dumps({'format': FORMAT, **vars(line), **sides}, ensure_ascii=False, allow_nan=False)


class Parser:
    """Reads lines, and says why one cannot be read."""

    def __init__(self):
        self._validator = jsonschema.Draft7Validator(json_file.load(SCHEMA))

    def parse(self, row):
        """(Line, '') of a row's bytes, or (None, why not)."""
        try:
            content = json_text.parse(row, figures=True)
        except json_text.NotJson:
            return None, 'not JSON'
        except json_text.JsonError as error:
            return None, str(error)[:LONGEST_REASON]
        if isinstance(content, dict) and content.get('format', FORMAT) != FORMAT:
            return None, f'format {json.dumps(content["format"])[:LONGEST_REASON]}, wanted {FORMAT}'
        error = jsonschema.exceptions.best_match(self._validator.iter_errors(content))
        if error:
            place = ''.join(f'[{json.dumps(step)}]' for step in error.absolute_path)
            return None, f'${place}: {error.message}'[:LONGEST_REASON]
        sides = {name: recording_file.side_from_json(content[name]) for name in ('baseline', 'candidate')}
        return Line(**{field.name: content[field.name] for field in dataclasses.fields(Line)} | sides), ''


def _begun(taken):
    begun = dataclasses.replace(taken, recordings=taken.recordings[:1], stopped='')
    return hashlib.sha256(recording_file.to_text(begun).encode()).hexdigest()[:16]


def _numbers(interval):
    return (interval.estimate, interval.lower, interval.upper) if interval else (None, None, None)
