"""Puts cases to the frameworks and records which expectations held there.

Without arguments it puts to each framework what it has not been asked in its present form: new and edited
cases, and those whose steps, testee or packages are others now. For all cases that took half an hour
on two cores that others used as well.

Examples:
  ./bazelw run //conformance/oracles:record
  ./bazelw run //conformance/oracles:record -- --all --json=/tmp/results    all anew, results kept
  ./bazelw run //conformance/oracles:record -- tensorflow.json keras.json   results that are there already
"""
import argparse
import calendar
import os
import sys
import tempfile
import time

from conformance.oracles import agreements
from conformance.oracles import basis
from conformance.oracles import frameworks
from conformance.oracles import judge
from conformance.oracles import put_cases
from conformance.oracles import standing
from reports import json_text
from tools import source_tree

PLACE = 'conformance/oracles/agreements.json'
CASES = 'conformance/cases'


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog='oracles:record', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('results', nargs='*', help='files that //conformance:run --json wrote')
    parser.add_argument('--all', action='store_true', help='put every case to every framework')
    parser.add_argument('--json', metavar='FOLDER', help='keep the results here, a file a framework')
    options = parser.parse_args(arguments)
    if options.results and (options.all or options.json):
        parser.error('results that are there already are not made: no --all and no --json with them')
    return options


def user_path(path):
    return os.path.join(os.environ.get('BUILD_WORKING_DIRECTORY', ''), path)


class Recorder:
    """Brings the record of the tree at `root` up to date."""

    def __init__(self, root):
        self._place = os.path.join(root, PLACE)
        self._files = agreements.load_case_files(os.path.join(root, CASES))
        self._cases = [case for _, document in self._files for case in document['cases']]
        self._known = frameworks.load(root)
        self._basis = basis.Basis(root)
        self._record = agreements.load(self._place)
        standing.forget_spoiled(self._record, self._cases, self._known)

    def ask(self, everything, folder):
        """Puts to each framework what has to be put, and writes the record behind each."""
        for number, name in enumerate(sorted(self._known), 1):
            wanted = {case['id'] for case in self._cases
                      if everything or name in standing.to_ask(self._record, case, self._known, self._basis)}
            if wanted:
                title = '[%d/%d] %s' % (number, len(self._known), name)
                self._merge(name, put_cases.put(self._files, wanted, name, title, os.path.join(folder, name + '.json')))
                self.write()

    def take(self, path):
        """Records a result. Raises AgreementError."""
        name, result = read_result(path)
        if name not in self._known:
            raise agreements.AgreementError('[Record] %s is no oracle, %s are: %s' % (
                name, ', '.join(sorted(self._known)), path))
        started = calendar.timegm(time.strptime(result['started'], '%Y-%m-%dT%H:%M:%SZ'))
        if started < self._basis.newest(self._known[name]):
            raise agreements.AgreementError(
                '[Record] the testee %s, its packages or operations.md were changed after %s was made' % (name, path))
        self._merge(name, result)

    def write(self):
        with open(self._place, 'w', encoding='utf-8') as stream:
            stream.write(agreements.dump(self._record))

    def problems(self):
        return standing.problems(self._record, self._cases, self._known, self._basis)

    def count(self):
        return standing.count(self._record, self._cases, self._known)

    def _merge(self, name, result):
        agreements.merge(self._record, name, result,
                         lambda case: self._basis.fingerprint(self._known[name], case))
        standing.forget_spoiled(self._record, self._cases, self._known)


def read_result(path):
    """Its testee's name and a result. Raises AgreementError."""
    try:
        with open(path, 'rb') as stream:
            result = json_text.parse(stream.read())
        return result['testee']['name'], result
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise agreements.AgreementError('[Record] %s is no result of //conformance:run: %s' % (path, error)) from error


def bring_up_to_date(options, recorder):
    if options.results:
        for path in options.results:
            recorder.take(user_path(path))
    elif options.json:
        os.makedirs(user_path(options.json), exist_ok=True)
        recorder.ask(options.all, user_path(options.json))
    else:
        with tempfile.TemporaryDirectory() as folder:
            recorder.ask(options.all, folder)
    recorder.write()


def main(arguments):
    options = parse_arguments(arguments)
    try:
        recorder = Recorder(source_tree.find_root())
        bring_up_to_date(options, recorder)
    except (agreements.AgreementError, judge.NotRun) as error:
        print(error, file=sys.stderr)
        return 2
    left = recorder.problems()
    print('\n'.join(left + [recorder.count(), '%d problems left' % len(left)]))
    return 1 if left else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
