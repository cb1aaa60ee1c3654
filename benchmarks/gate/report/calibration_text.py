"""A calibration as text for a terminal: what was measured, what gates will find, and what they found."""
from benchmarks.gate import calibration as calibrations
from benchmarks.gate import resampling
from benchmarks.gate.report import columns, evidence, wording

SLOWDOWNS = {0: 'nothing', 1: 'delta', 2: 'twice delta'}


def measured(calibration, taken, deltas):
    """What A/A Recordings gave: `deltas` has the slowdown that counts, (entry, metric) -> share, of all tests."""
    seconds = sum(each.seconds for each in taken.recordings)
    lines = [f'{len(taken.recordings)} recordings of a program against itself in {seconds:.0f} s; '
             f'{evidence.machine(taken.machine)}',
             'Delta, the smallest slowdown that counts, is at least twice the half-width of a gate of as many:']
    rows = [('entry', 'time', 'half-width', 'delta')]
    rows += [(*test, _half_width(calibration, test), _delta(delta)) for test, delta in deltas.items()]
    return '\n'.join(lines + columns.aligned(rows))


def _half_width(calibration, test):
    value = calibration.half_widths.get(test)
    if value is None:
        return f'not measured: fewer than {calibrations.FEWEST} quiet recordings'
    return f'{wording.in_percent(value):.1f} %'


def _delta(delta):
    too_large = delta > calibrations.LARGEST_DELTA
    return f'{100 * delta:.3g} %' + (': too large, not judged' if too_large else '')


def expected(rows):
    """[(multiple of delta, result -> share of gates, mean seconds)] as a table."""
    table = [('slower by', *resampling.RESULTS, 'seconds')]
    table += [(SLOWDOWNS[multiple], *(f'{100 * shares.get(result, 0):.1f}' for result in resampling.RESULTS), f'{seconds:.0f}')
              for multiple, shares, seconds in rows]
    return '\n'.join(['Gates drawn from these recordings, their verdicts in percent:', *columns.aligned(table)])


def planted(found):
    """A real slowdown and what a gate said of it."""
    test = found.test
    said = wording.answer(test) + (f', {wording.size_of(test)}' if test.interval else '')
    return (f'Planted {found.microseconds} us, {100 * found.share:.3g} % of a step of {test.entry}: {said} '
            f'at {found.looked_at} recordings')
