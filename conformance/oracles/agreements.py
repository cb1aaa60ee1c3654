"""Which frameworks confirm which expectations: agreements.json.

An expected number comes from a document or from arithmetic by hand. A second, independent oracle is a
framework in which the expectation held when the case was put to it. Each case's record carries a
fingerprint of what was put and expected, so that an edited case has to be put again.
"""
import hashlib
import json
import pathlib

FORMAT = 1

# Expectations that name what is expected, and not only a relation.
VALUES = ('equals', 'close', 'same_multiset', 'multiple_of')
NON_FINITE = ('NaN', 'Infinity', '-Infinity')


class AgreementError(Exception):
    """A file that cannot be used; the text says why."""


def load(path):
    """The record in the file, or an empty one where there is no file. Raises AgreementError."""
    try:
        with open(path, encoding='utf-8') as stream:
            record = json.load(stream)
    except FileNotFoundError:
        return {'format': FORMAT, 'implementations': {}, 'cases': {}}
    except ValueError as error:
        raise AgreementError('[Agreements] %s: %s' % (path, error)) from error
    if record.get('format') != FORMAT:
        raise AgreementError('[Agreements] %s: wanted format %d, got %r' % (path, FORMAT, record.get('format')))
    return record


def load_cases(folder):
    """All cases of a folder, in the order of their files. Raises AgreementError."""
    cases = []
    for path in sorted(pathlib.Path(folder).rglob('*.json')):
        try:
            cases += json.loads(path.read_text(encoding='utf-8'))['cases']
        except (ValueError, KeyError) as error:
            raise AgreementError('[Agreements] %s: %s' % (path, error)) from error
    return cases


def dump(record):
    """The file's text: a line a case, so that a change shows as one."""
    cases = ',\n'.join('    %s: %s' % (json.dumps(case), json.dumps(record['cases'][case]))
                       for case in sorted(record['cases']))
    return '{\n  "format": %d,\n  "implementations": %s,\n  "cases": {\n%s\n  }\n}\n' % (
        FORMAT, json.dumps(record['implementations'], sort_keys=True), cases)


def fingerprint(case):
    """Twelve hexadecimal digits of what is put to an implementation and what is expected of it."""
    expect = [{key: value for key, value in expectation.items()
               if key not in ('because', 'level', 'no_framework_agrees')} for expectation in case['expect']]
    told = json.dumps([case['given'], case['program'], expect], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:12]


def merge(record, name, result):
    """Puts what a result of //conformance:run says into the record, in place.

    `name` is the implementation's, as in testees.json. An expectation that is checked for several replica
    counts has to hold for all of them. What the record says of other implementations stays, unless it was
    said of another form of the case.
    """
    record['implementations'][name] = result['testee']['implementation']
    for case in result['cases']:
        entry = record['cases'].get(case['id'])
        if entry is None or entry['case'] != fingerprint(case):
            entry = {'case': fingerprint(case), 'agree': [[] for _ in case['expect']]}
            record['cases'][case['id']] = entry
        for index, names in enumerate(entry['agree']):
            agreeing = set(names) - {name} | ({name} if _holds(case, index) else set())
            entry['agree'][index] = sorted(agreeing)


def _holds(case, index):
    """Whether the expectation was judged in every run and held."""
    found = [finding['holds'] for run in case['runs'] for finding in run['findings']
             if finding['expectation'] == index]
    return len(found) == len(case['runs']) and all(found)


def is_numeric(expectation):
    """Whether it names a number."""
    return any(_has_number(expectation[name]) for name in VALUES if name in expectation)


def _has_number(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return any(_has_number(item) for item in value)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number or value in NON_FINITE


def problems(record, cases):
    """A line for each number without a second oracle, and for each record or reason that is out of date."""
    found = []
    for case in cases:
        found += ['%s: %s' % (case['id'], problem) for problem in _problems_of(record['cases'].get(case['id']), case)]
    gone = sorted(set(record['cases']) - {case['id'] for case in cases})
    return found + ['%s: is recorded, but there is no such case' % case for case in gone]


def _problems_of(entry, case):
    if entry is None:
        return ['no framework has been asked'] if any(map(is_numeric, case['expect'])) else []
    if entry['case'] != fingerprint(case):
        return ['was put to frameworks in another form']
    found = []
    for index, (expectation, names) in enumerate(zip(case['expect'], entry['agree'])):
        reason = expectation.get('no_framework_agrees')
        if is_numeric(expectation) and not names and not reason:
            found.append("expectation %d: no framework agrees, and no 'no_framework_agrees' says why" % index)
        if names and reason:
            found.append("expectation %d: %s agrees, against 'no_framework_agrees'" % (index, ', '.join(names)))
    return found
