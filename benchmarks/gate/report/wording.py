"""How a verdict is said to people: the same words in the terminal, in a comment and on a page."""
import math

from benchmarks.gate import verdict as verdicts
from benchmarks.gate.verdict import Outcome

STOPPED = {'budget': 'the time that it may take (--budget) was over', 'interrupted': 'it was interrupted',
           'failed': 'a run failed'}
TIMES = {'cpu': 'CPU time', 'wall': 'wall time'}


def title(metric):
    """'Wall time'."""
    return TIMES[metric][0].upper() + TIMES[metric][1:]


def in_percent(log_ratio):
    """A log ratio as the change of a time in percent."""
    return 100 * math.expm1(log_ratio)


def percent(log_ratio):
    """The same in words, with its sign: '+5.6'."""
    return f'{in_percent(log_ratio):+.1f}'


def size(estimate, lower, upper):
    """'+5.6 % [+3.9, +7.3]' of log ratios."""
    return f'{percent(estimate)} % [{percent(lower)}, {percent(upper)}]'


def size_of(test):
    """As `size`; '' where there are no numbers."""
    return size(test.interval.estimate, test.interval.lower, test.interval.upper) if test.interval else ''


def delta(test, taken):
    """'3 %', and whether it is more than Recordings ask for."""
    return f'{100 * test.delta:.3g} %' + (' (raised)' if is_raised(test, taken) else '')


def is_raised(test, taken):
    return test.delta > taken.delta


def answer(test):
    """'REGRESSION', or what else is to be said of a test."""
    if test.outcome == Outcome.NOT_JUDGED:
        return f'NOT JUDGED: {test.reason}'
    if test.outcome == Outcome.FINE:
        return f'FINE: {"faster" if is_faster(test) else no_slowdown(test.delta)}'
    return test.outcome.value.upper() + (f': {test.reason}' if test.reason else '')


def is_faster(test):
    """Whether the candidate takes less time by delta or more, with certainty that it takes less."""
    interval = test.interval
    return interval is not None and interval.upper < 0 and interval.estimate <= -math.log1p(test.delta)


def no_slowdown(share):
    """What a fine test says, and no more: a slowdown below 2 delta may be there."""
    return f'no slowdown of {200 * share:.3g} % or more'


def headline(verdict, taken):
    """The verdict in one line that stands alone: 'Regression: Train/a takes 5.6 % more CPU time'."""
    return f'{verdict.outcome.value.capitalize()}: {_HEADLINES[verdict.outcome](verdict, taken)}'


def _regression(verdict, _):
    slower = [test for test in verdict.tests if test.outcome == Outcome.REGRESSION]
    worst = max(slower, key=lambda test: test.interval.estimate)
    others = f', the most of {len(slower)} slowdowns' if len(slower) > 1 else ''
    more = percent(worst.interval.estimate).lstrip('+')
    return f'{worst.entry} takes {more} % more {TIMES[worst.metric]}{others}'


def _fine(verdict, taken):
    outcomes = {metric: _weakest(verdict, metric) for metric in taken.metrics}
    fine = [metric for metric, outcome in outcomes.items() if outcome == Outcome.FINE]
    share = max(test.delta for test in verdict.tests if test.metric in fine)
    rest = [f'{TIMES[metric]} {outcome.value}' for metric, outcome in outcomes.items() if metric not in fine]
    return '; '.join([f'{no_slowdown(share)} in {" and ".join(TIMES[metric] for metric in fine)}', *rest])


def _weakest(verdict, metric):
    """What is to be said of a metric whose entries are not all fine."""
    outcomes = [test.outcome for test in verdict.tests if test.metric == metric]
    return next((each for each in (Outcome.NOT_JUDGED, Outcome.UNDECIDED) if each in outcomes), Outcome.FINE)


def _undecided(verdict, taken):
    stopped = f'; {STOPPED.get(taken.stopped, taken.stopped)}' if taken.stopped else ''
    return _why_undecided(verdict, taken) + stopped


def _why_undecided(verdict, taken):
    if taken.method == 'stored' and verdict.looked_at:
        return verdicts.SUSPECT if any(test.reason == verdicts.SUSPECT for test in verdict.tests) else verdicts.UNPROVEN
    if not verdict.looked_at:
        return verdict.tests[0].reason if verdict.tests else 'nothing was recorded'
    blind = [test for test in verdict.tests if test.metric in taken.required and test.outcome == Outcome.NOT_JUDGED]
    if blind:
        return f'{TIMES[blind[0].metric]} is required and could not be judged'
    wide = [test for test in verdict.tests if test.outcome == Outcome.UNDECIDED]
    return (f'after {verdict.looked_at} recordings the bounds are too wide for {len(wide)} of {len(verdict.tests)} '
            'tests')


_HEADLINES = {Outcome.REGRESSION: _regression, Outcome.FINE: _fine, Outcome.UNDECIDED: _undecided}


def aligned(rows):
    """Each row of texts as a line, its columns two spaces apart and as wide as the longest text in them.

    Rows may be of different lengths; the last text of a row is neither padded nor counted.
    """
    widths = {}
    for row in rows:
        for column, cell in enumerate(row[:-1]):
            widths[column] = max(widths.get(column, 0), len(cell))
    return ['  '.join([*(cell.ljust(widths[column]) for column, cell in enumerate(row[:-1])), row[-1]])
            for row in rows]
