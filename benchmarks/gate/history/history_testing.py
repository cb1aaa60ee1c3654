"""Lines of a history with chosen log ratios, for tests."""
import datetime

from benchmarks.gate.history.line import Line
from benchmarks.gate.recording import Side
from benchmarks.gate.recording_testing import MACHINE

BEGIN = datetime.datetime(2026, 9, 1, 3, tzinfo=datetime.timezone.utc)


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
