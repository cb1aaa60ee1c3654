"""Which frameworks confirm which expectations: agreements.json.

An expected value comes from a document or from arithmetic by hand. A second, independent oracle is a
framework in which the expectation held when the case was put to it. The record says for each case

  case   a fingerprint of what was put and expected: an edited case has to be put again
  asked  framework -> its version, and a fingerprint of what else its answer rests on (basis.py)
  agree  for each expectation the frameworks in which it held
  seal   a digest of all this, so that an edit by hand is noticed. It guards against mistakes and good
         intentions, not against somebody who computes it anew: only putting the cases again does.
"""
import hashlib
import json
import pathlib

from reports import json_text

FORMAT = 2


class AgreementError(Exception):
    """A file that cannot be used; the text says why."""


def load(path):
    """The record in the file, or an empty one where there is no file. Raises AgreementError."""
    try:
        with open(path, 'rb') as stream:
            record = json_text.parse(stream.read())
    except FileNotFoundError:
        return {'format': FORMAT, 'cases': {}}
    except ValueError as error:
        raise AgreementError('[Agreements] %s: %s' % (path, error)) from error
    given = record.get('format') if isinstance(record, dict) else None
    if given != FORMAT:
        raise AgreementError('[Agreements] %s: wanted format %d, got %r' % (path, FORMAT, given))
    return record


def load_case_files(folder):
    """Pairs of a path from the folder and the file's document. Raises AgreementError."""
    found = []
    for path in sorted(pathlib.Path(folder).rglob('*.json')):
        try:
            document = json_text.parse(path.read_bytes())
            found.append((str(path.relative_to(folder)), {'topic': document['topic'], 'cases': document['cases']}))
        except (ValueError, KeyError, TypeError) as error:
            raise AgreementError('[Agreements] %s: %s' % (path, error)) from error
    return found


def dump(record):
    """The file's text: a line a case, so that a change shows as one and two changes merge."""
    cases = ',\n'.join('    %s: %s' % (json.dumps(case), json.dumps(record['cases'][case]))
                       for case in sorted(record['cases']))
    return '{\n  "format": %d,\n  "cases": {\n%s\n  }\n}\n' % (FORMAT, cases)


def fingerprint(case):
    """Twelve hexadecimal digits of what is put to an implementation and what is expected of it."""
    expect = [{key: value for key, value in expectation.items()
               if key not in ('because', 'level', 'no_framework_agrees', 'by_hand')} for expectation in case['expect']]
    return _digest([case['given'], case['program'], expect])


def seal(case_id, entry):
    """The seal that belongs to a case's entry."""
    return _digest([case_id, {key: value for key, value in entry.items() if key != 'seal'}])


def _digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def merge(record, name, result, basis_of):
    """Puts what a result of //conformance:run says into the record, in place.

    `name` is the framework's, as in testees.json; basis_of(case) is its fingerprint. An expectation that
    is checked for several replica counts has to hold for all of them. What the record says of other
    frameworks stays, unless it was said of another form of the case. Where a busy machine let the time run
    out, nothing was said.
    """
    for case in result['cases']:
        if case['verdict'] == 'timed_out' and not case['as_expected']:
            continue
        entry = record['cases'].get(case['id'])
        if entry is None or entry['case'] != fingerprint(case):
            entry = {'case': fingerprint(case), 'asked': {}, 'agree': [[] for _ in case['expect']]}
            record['cases'][case['id']] = entry
        entry['asked'] = dict(sorted(
            (entry['asked'] | {name: [result['testee']['implementation'], basis_of(case)]}).items()))
        for index, names in enumerate(entry['agree']):
            agreeing = set(names) - {name} | ({name} if _holds(case, index) else set())
            entry['agree'][index] = sorted(agreeing)
        entry['seal'] = seal(case['id'], entry)


def _holds(case, index):
    """Whether the expectation was judged in every run and held."""
    found = [finding['holds'] for run in case['runs'] for finding in run['findings']
             if finding['expectation'] == index]
    return len(found) == len(case['runs']) and all(found)
