"""Whether each expectation has its second oracle, and the record is of today."""
import collections

from conformance.oracles import agreements
from conformance.oracles import frameworks
from tools.check_cases import case_files

# What says which value or error is expected, and not only how values relate.
VALUES = ('equals', 'close', 'same_multiset', 'multiple_of')
NON_FINITE = ('NaN', 'Infinity', '-Infinity')


def needs_oracle(expectation):
    return 'error' in expectation or any(name in expectation for name in VALUES)


def is_numeric(expectation):
    """Whether it names a number, which is derived where no framework gives it."""
    return any(_is_number(leaf) for name in VALUES if name in expectation
               for leaf in case_files.leaves(expectation[name]))


def _is_number(leaf):
    return leaf in NON_FINITE or (isinstance(leaf, (int, float)) and not isinstance(leaf, bool))


def to_ask(record, case, known, basis):
    """The frameworks to which the case has to be put (again), sorted; `known` is what frameworks.load gave."""
    entry = record['cases'].get(case['id'])
    if _spoiled(entry, case, known):
        return sorted(known)
    return sorted(name for name in known
                  if name not in entry['asked'] or entry['asked'][name][1] != basis.fingerprint(known[name], case))


def forget_spoiled(record, cases, known):
    """Takes out what can never be used again, in place: no framework counts as asked there."""
    record['cases'] = {case['id']: record['cases'][case['id']] for case in cases
                       if not _spoiled(record['cases'].get(case['id']), case, known)}


def _spoiled(entry, case, known):
    """Why nothing of the entry can be used, or nothing."""
    if entry is None:
        return 'no framework has been asked'
    if entry['seal'] != agreements.seal(case['id'], entry):
        return 'its record is not as it was made'
    if gone := sorted(set(entry['asked']) - set(known)):
        return 'was put to %s, which testees.json has as no framework' % ', '.join(gone)
    return 'was put to frameworks in another form' if entry['case'] != agreements.fingerprint(case) else ''


def problems(record, cases, known, basis):
    """A line for each value without a second oracle, and for each record or reason that is out of date."""
    found = ['%s: %s' % (case['id'], problem) for case in cases
             for problem in _problems_of(record, case, known, basis)]
    gone = sorted(set(record['cases']) - {case['id'] for case in cases})
    return found + ['%s: is recorded, but there is no such case' % case for case in gone]


def _problems_of(record, case, known, basis):
    entry = record['cases'].get(case['id'])
    if spoiled := _spoiled(entry, case, known):
        return [spoiled]
    if stale := to_ask(record, case, known, basis):
        return ['has to be put to %s: its testee, its packages or the words on a step are others now'
                % ', '.join(stale)]
    return ['expectation %d: %s' % (index, problem)
            for index, (expectation, names) in enumerate(zip(case['expect'], entry['agree']))
            for problem in _problems_with(expectation, names)]


def _problems_with(expectation, names):
    reason = expectation.get('no_framework_agrees')
    if names and reason:
        return ["%s agrees, against 'no_framework_agrees'" % ', '.join(names)]
    if names or not needs_oracle(expectation):
        return []
    if not reason:
        return ["no framework agrees, and no 'no_framework_agrees' says why"]
    if is_numeric(expectation) and 'by_hand' not in expectation:
        return ["no framework agrees, and no 'by_hand' says how the value follows"]
    return []


def count(record, cases, known):
    """A line on how many independent families confirm how many values."""
    counts = collections.Counter()
    for case in cases:
        entry = record['cases'].get(case['id'], {'agree': [[]] * len(case['expect'])})
        for expectation, names in zip(case['expect'], entry['agree']):
            if needs_oracle(expectation):
                counts[tuple(frameworks.families(names, known))] += 1
    several = sum(many for behind, many in counts.items() if len(behind) > 1)
    alone = ', '.join('%d by %s' % (many, behind[0]) for behind, many in sorted(counts.items()) if len(behind) == 1)
    return '%d values and errors: %d confirmed by several families, by one alone %s, by none %d' % (
        sum(counts.values()), several, alone or 'none', counts[()])
