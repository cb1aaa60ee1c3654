"""Fails where a list of deviations or the table of testees is malformed or names what does not exist.

    ./bazelw run //tools/check_cases:check_deviations       prints one line a problem:
        conformance/deviations/tensorflow.json: input/rebatch/x: there is no such case

What only a run can tell, //conformance:run tells: whether a deviation is still there.
"""
import fnmatch
import os
import sys

from tools import source_tree
from tools.check_cases import case_files
from tools.check_cases import json_file

FOLDER = 'conformance/deviations'
SCHEMA = 'conformance/schemas/deviations.schema.json'
TESTEES = 'conformance/testees.json'
TESTEES_SCHEMA = 'conformance/schemas/testees.schema.json'
# Reasons are written for whoever meets the deviation; the reference is to have none.
WITHOUT_DEVIATIONS = 'reference'


def list_files(root):
    folder = os.path.join(root, FOLDER)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return ['%s/%s' % (FOLDER, name) for name in sorted(names) if name.endswith('.json')]


def check(root):
    ids = [case['id'] for case in case_files.all_cases(root)]
    steps = set().union(*(case_files.steps_of(case['program']) for case in case_files.all_cases(root)))
    problems, shown = [], set()
    for path in list_files(root):
        document, found = json_file.load_checked(root, path, SCHEMA)
        problems += found or ['%s: %s' % (path, text) for text in _list_problems(root, path, document, ids, steps)]
        shown |= set() if found else {entry.get('repro') for entry in document['entries']}
    if not problems:
        problems = ['%s/repro/%s: no entry names it' % (FOLDER, name) for name in _scripts(root) if name not in shown]
    return problems + _testee_problems(root)


def _scripts(root):
    """Those that show a deviation, as entries name them."""
    place = os.path.join(root, FOLDER, 'repro')
    return sorted(os.path.relpath(os.path.join(folder, name), place)
                  for folder, _, names in os.walk(place) for name in names
                  if name.endswith('.py') and name != '__init__.py')


def _list_problems(root, path, document, ids, steps):
    name = os.path.basename(path)[:-len('.json')]
    entries = document['entries']
    if document['implementation'] != name:
        yield 'is a list for %s' % document['implementation']
    if name == WITHOUT_DEVIATIONS and entries:
        yield 'the reference passes every case: change it or the case'
    if [entry['id'] for entry in entries] != sorted(entry['id'] for entry in entries):
        yield 'the entries are not in order of their ids'
    lacks = document.get('lacks', [])
    if lacks != sorted(lacks, key=_name_of_lack):
        yield 'the lacks are not in order of their steps and reasons'
    for lack in lacks:
        if lack['step'] and lack['step'] not in steps:
            yield '%s: there is no such step' % lack['step']
    for case_id in ids:
        matching = [entry['id'] for entry in entries if _matches(entry['id'], case_id)]
        if len(matching) > 1:
            yield '%s is listed twice: %s' % (case_id, ', '.join(matching))
    for entry in entries:
        if not any(_matches(entry['id'], case_id) for case_id in ids):
            yield '%s: there is no such case' % entry['id']
        repro = entry.get('repro')
        if repro and not os.path.exists(os.path.join(root, FOLDER, 'repro', repro)):
            yield '%s: there is no script repro/%s' % (entry['id'], repro)


def _name_of_lack(lack):
    """As the runner orders and calls them."""
    return '%s: %s' % (lack['step'], lack['reason']) if lack['step'] else lack['reason']


def _matches(pattern, case_id):
    """As the runner does: * stands for anything but a slash."""
    parts, case_parts = pattern.split('/'), case_id.split('/')
    return len(parts) == len(case_parts) and all(map(fnmatch.fnmatchcase, case_parts, parts))


def _testee_problems(root):
    document, problems = json_file.load_checked(root, TESTEES, TESTEES_SCHEMA)
    if problems:
        return problems
    names = [testee['name'] for testee in document['testees']]
    return ['%s: %s stands here twice' % (TESTEES, name) for name in sorted(set(names))
            if names.count(name) > 1]


if __name__ == '__main__':
    sys.exit(source_tree.run(check))
