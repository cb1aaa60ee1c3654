"""A verdict as text for a terminal: one line a test, then what it rests on. The same verdict gives the same bytes."""
from benchmarks.gate.report import columns, evidence, repeat_command, wording


def render(verdict, taken, calibration=None):
    """The text of a Verdict on Recordings, by a Calibration or none, with a line end behind each line.

    Columns are two spaces apart.
    """
    facts = [*evidence.facts(verdict, taken, calibration), ('repeat', repeat_command.of(taken))]
    lines = columns.aligned([_cells(test, taken) for test in verdict.tests])
    lines += [wording.headline(verdict, taken) + f' (exit status {verdict.exit_status})']
    lines += ['  ' + line for line in columns.aligned(facts)]
    return '\n'.join(lines) + '\n'


def _cells(test, taken):
    """The columns of a test's line; what was not judged has no numbers to align."""
    if test.interval is None:
        return test.entry, test.metric, wording.answer(test)
    return test.entry, test.metric, wording.size_of(test), f'delta {wording.delta(test, taken)}', wording.answer(test)
