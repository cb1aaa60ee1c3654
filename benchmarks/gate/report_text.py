"""A verdict as text for a terminal: one line a test, then what it rests on. The same verdict gives the same bytes."""
import math

from benchmarks.gate.verdict import Outcome


def render(verdict, taken):
    """The text of a Verdict on Recordings, with a line end behind each line."""
    lines = [_line(test, taken.delta) for test in verdict.tests]
    lines.append(f'{verdict.outcome.value}: {verdict.looked_at} of {len(taken.recordings)} recordings looked at, '
                 f'{verdict.quiet} of them on a quiet machine; seed {taken.seed}')
    for label in ('baseline', 'candidate'):
        side = getattr(taken, label)
        lines.append(f'  {label}: {" ".join(side.command)}' + (f' at {side.commit}' if side.commit else ''))
    if taken.is_same_program():
        lines.append('  both are the same program (A/A)')
    return '\n'.join(lines) + '\n'


def _line(test, smallest):
    head = f'{test.entry}  {test.metric}'
    if test.interval is None:
        return f'{head}  NOT JUDGED: {test.reason}'
    raised = ' (raised: twice the half-width measured here)' if test.delta > smallest else ''
    interval = test.interval
    return (f'{head}  {_percent(interval.estimate)} % [{_percent(interval.lower)}, {_percent(interval.upper)}]  '
            f'delta {100 * test.delta:.3g} %{raised}  {_words(test)}')


def _words(test):
    if test.outcome == Outcome.FINE:
        faster = test.interval.upper < 0 and test.interval.estimate <= -math.log1p(test.delta)
        return 'FINE: faster' if faster else f'FINE: no slowdown of {200 * test.delta:.3g} % or more'
    return test.outcome.value.upper()


def _percent(log_ratio):
    return f'{100 * math.expm1(log_ratio):+.1f}'
