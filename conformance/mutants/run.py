"""Plants every bug in a copy of the workspace, one at a time, and tells which cases notice.

    ./bazelw run //conformance/mutants:run
    ./bazelw run //conformance/mutants:run -- --only='lost_*' --json=kills.json --html=kills.html

A bug that no case notices is a case that is missing. The copy and its build lie in the cache folder and
are used again; a first run builds the reference, each mutant then compiles one file.
Exit status: 0 every mutant is killed by the cases it names, 1 not, 2 it could not run.
"""
import argparse
import fnmatch
import json
import os
import sys

from conformance.mutants import kill_matrix
from conformance.mutants import mutant
from conformance.mutants import scratch_tree
from third_party.frameworks import make_venv
from tools import source_tree


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog='mutants:run', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--only', default='*', metavar='NAME', help='mutants to plant, with * and ?')
    parser.add_argument('--json', help='write the kill matrix here as JSON')
    parser.add_argument('--html', help='write the kill matrix here as a page')
    parser.add_argument('--markdown', help='write the kill matrix here as Markdown')
    parser.add_argument('--scratch', default=str(make_venv.cache_dir(os.environ) / 'mutants'),
                        help='folder for the copy and its build [%(default)s]')
    return parser.parse_args(arguments)


def examine(planted, tree, baseline):
    """The row of one mutant."""
    tree.plant(planted)
    try:
        tree.build()
        return kill_matrix.compare(planted, baseline, tree.run())
    except scratch_tree.BuildFailed as error:
        return kill_matrix.Row(planted, build_error=str(error))
    finally:
        tree.restore(planted)


def examine_all(mutants, tree):
    print('building the reference in %s' % tree.folder, flush=True)
    tree.prepare()
    baseline = tree.run()
    rows = []
    for number, planted in enumerate(mutants, 1):
        rows.append(examine(planted, tree, baseline))
        print('[%d/%d] %s' % (number, len(mutants), kill_matrix.describe(rows[-1])), flush=True)
    return rows


def write_reports(options, rows):
    texts = ((options.json, lambda: json.dumps(kill_matrix.to_json(rows), indent=2) + '\n'),
             (options.html, lambda: kill_matrix.to_html(rows)),
             (options.markdown, lambda: kill_matrix.to_markdown(rows)))
    for path, make_text in texts:
        if path:
            with open(os.path.join(os.environ.get('BUILD_WORKING_DIRECTORY', ''), path), 'w',
                      encoding='utf-8') as stream:
                stream.write(make_text())


def main(arguments):
    options = parse_arguments(arguments)
    root = source_tree.find_root()
    try:
        mutants = [m for m in mutant.load_all(root) if fnmatch.fnmatch(m.name, options.only)]
        if not mutants:
            raise mutant.MutantError('[Mutants] none is called like %r' % options.only)
        rows = examine_all(mutants, scratch_tree.ScratchTree(root, options.scratch))
        write_reports(options, rows)
    except (mutant.MutantError, scratch_tree.BuildFailed, scratch_tree.RunFailed, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(kill_matrix.summary(rows))
    return 0 if all(row.as_named for row in rows) else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
