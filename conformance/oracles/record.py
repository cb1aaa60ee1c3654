"""Records which expectations held in a framework, from results of //conformance:run.

Examples:
  ./bazelw run //conformance:run -- --testee=tensorflow --json=tensorflow.json
  ./bazelw run //conformance:run -- --testee=keras --filter='loss/*' --json=keras.json
  ./bazelw run //conformance/oracles:record -- tensorflow.json keras.json
"""
import argparse
import json
import os
import sys

from conformance.oracles import agreements
from tools import source_tree

PLACE = 'conformance/oracles/agreements.json'


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog='oracles:record', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('results', nargs='+', help='files that //conformance:run --json wrote')
    return parser.parse_args(arguments)


def read_result(path):
    """A result and its testee's name. Raises AgreementError."""
    path = os.path.join(os.environ.get('BUILD_WORKING_DIRECTORY', ''), path)
    try:
        with open(path, encoding='utf-8') as stream:
            result = json.load(stream)
        return result['testee']['name'], result
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise agreements.AgreementError('[Record] %s is no result of //conformance:run: %s' % (path, error)) from error


def forget_gone_cases(record, known):
    record['cases'] = {case: entry for case, entry in record['cases'].items() if case in known}


def main(arguments):
    options = parse_arguments(arguments)
    root = source_tree.find_root()
    try:
        record = agreements.load(os.path.join(root, PLACE))
        for path in options.results:
            name, result = read_result(path)
            if name == 'reference':
                raise agreements.AgreementError('[Record] the reference is no oracle for itself: %s' % path)
            agreements.merge(record, name, result)
        cases = agreements.load_cases(os.path.join(root, 'conformance/cases'))
        forget_gone_cases(record, {case['id'] for case in cases})
    except agreements.AgreementError as error:
        print(error, file=sys.stderr)
        return 2
    with open(os.path.join(root, PLACE), 'w', encoding='utf-8') as stream:
        stream.write(agreements.dump(record))
    left = agreements.problems(record, cases)
    print('\n'.join(left + ['%d cases recorded, %d problems left' % (len(record['cases']), len(left))]))
    return 1 if left else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
