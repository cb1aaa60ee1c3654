"""Puts all cases to all implementations anew, and publishes what they answer.

It writes, into the checkout it is called from,
  conformance/columns/<testee>.json     each case's verdict, with versions, machine and day
  docs/conformance.md                   all of them side by side, with what differs and why
  docs/conformance.png                  how many required cases each passes
and conformance/oracles/agreements.json: which frameworks confirm which expected value.

Examples:
  ./bazelw run //conformance:columns
  ./bazelw run //conformance:columns -- --keep=results             the whole results too, a file a testee
  ./bazelw run //conformance:columns -- --take=results             publishes results that are there already
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile

from conformance.columns import column
from conformance.oracles import agreements, judge, record
from reports import conformance_matrix
from tools import source_tree

FOLDER = 'conformance/columns'
MATRIX, PICTURE = 'docs/conformance.md', 'docs/conformance.png'
REFERENCE = 'reference'


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog='columns', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--keep', metavar='FOLDER', help='keep the whole results here, a file a testee')
    parser.add_argument('--take', metavar='FOLDER', help='ask nobody: publish the results that are here')
    options = parser.parse_args(arguments)
    if options.keep and options.take:
        parser.error('what is taken is there already: no --keep with --take')
    return options


def machine():
    """"2 x AMD EPYC": what the columns were made on."""
    names = []
    if os.path.exists('/proc/cpuinfo'):
        with open('/proc/cpuinfo', encoding='utf-8') as stream:
            names = [line.split(':')[1].strip() for line in stream if line.startswith('model name')]
    return '%d x %s' % (os.cpu_count() or 1, names[0] if names else platform.machine())


def ask_reference(folder):
    """Its result, into the folder. Errors: judge.NotRun."""
    ids = judge.list_ids([], os.environ)
    place = os.path.abspath(os.path.join(folder, REFERENCE + '.json'))
    judge.run(['--testee=' + REFERENCE, '--json=' + place], ids, REFERENCE, judge.own_environment())


def result_files(folder):
    """The reference first, then by name. Raises AgreementError where there is no result."""
    names = sorted(name for name in os.listdir(folder) if name.endswith('.json')) if os.path.isdir(folder) else []
    if not names:
        raise agreements.AgreementError('[Columns] no result is in %s' % folder)
    names.sort(key=lambda name: name != REFERENCE + '.json')
    return [os.path.join(folder, name) for name in names]


def publish(root, paths, where):
    """Writes columns, matrix and picture; returns what is written."""
    for path in paths:
        name, result = record.read_result(path)
        place = os.path.join(root, FOLDER, name + '.json')
        with open(place, 'w', encoding='utf-8') as stream:
            stream.write(column.dump(column.of_result(result, where)))
        yield place
    matrix, picture = os.path.join(root, MATRIX), os.path.join(root, PICTURE)
    if conformance_matrix.main([*paths, '--markdown=' + matrix, '--png=' + picture]):
        raise agreements.AgreementError('[Columns] the matrix could not be made')
    yield from (matrix, picture)


def bring_up_to_date(options, root, folder):
    """Asks whom there is to ask; returns the problems that are left."""
    recorder = record.Recorder(root)
    if not options.take:
        ask_reference(folder)
        recorder.ask(True, folder)
    recorder.write()
    for place in publish(root, result_files(folder), machine()):
        print('wrote %s' % os.path.relpath(place, root))
    return recorder.problems()


def main(arguments=None):
    options = parse_arguments(arguments)
    kept = options.keep or options.take
    try:
        with tempfile.TemporaryDirectory() as folder:
            if kept:
                folder = record.user_path(kept)
                os.makedirs(folder, exist_ok=True)
            problems = bring_up_to_date(options, source_tree.find_root(), folder)
    except (agreements.AgreementError, judge.NotRun, OSError, subprocess.SubprocessError) as error:
        print(error, file=sys.stderr)
        return 2
    print('\n'.join([*problems, '%d problems left' % len(problems)]))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
