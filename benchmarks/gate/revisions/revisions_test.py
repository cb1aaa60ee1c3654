"""Programs of two commits, built in a repository whose bazelw is a stand-in: a program is the file `program`."""
import contextlib
import os
import subprocess
import tempfile
import unittest
from unittest import mock

from benchmarks.gate.recording import GateError
from benchmarks.gate.revisions import built_program, checkout
from tools import xml_unittest

BAZELW = '''#!/bin/sh
echo "$PWD: $*" >> "$CALLS"
case "$*" in
  *info*) echo /var/base ;;
  *build*)
    test -e broken && { echo "does not compile" >&2; exit 1; }
    mkdir -p bazel-bin/p/program.runfiles/data
    cp program bazel-bin/p/program && chmod +x bazel-bin/p/program
    cat user.bazelrc > bazel-bin/p/program.runfiles/data/settings 2>/dev/null || true
    echo /elsewhere > bazel-bin/p/program.runfiles/MANIFEST ;;
esac
'''
PROGRAM = '#!/bin/sh\necho %s; cat "$0.runfiles/data/settings"\n'


class RevisionsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get('TEST_TMPDIR'))
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.tree = os.path.join(self.folder, 'tree')
        self.calls_file = os.path.join(self.folder, 'calls')
        environment = {'HOME': self.folder, 'CALLS': self.calls_file, 'TMPDIR': self.folder, 'GIT_CONFIG_NOSYSTEM': '1'}
        patch = mock.patch.dict(os.environ, environment)
        patch.start()
        self.addCleanup(patch.stop)
        os.environ.pop('BUILD_WORKING_DIRECTORY', None)
        self.addCleanup(setattr, tempfile, 'tempdir', tempfile.tempdir)
        tempfile.tempdir = self.folder
        os.mkdir(self.tree)
        self.git('init', '--quiet')
        self.write('bazelw', BAZELW)
        os.chmod(os.path.join(self.tree, 'bazelw'), 0o755)
        self.write('.gitignore', 'bazel-bin\nuser.bazelrc\n')
        self.first = self.commit('first')
        self.second = self.commit('second')

    def git(self, *arguments):
        return subprocess.run(
            ['git', '-c', 'user.name=n', '-c', 'user.email=e@x', '-C', self.tree, *arguments], check=True,
            capture_output=True, text=True).stdout.strip()

    def write(self, name, text):
        with open(os.path.join(self.tree, name), 'w', encoding='utf-8') as file:
            file.write(text)

    def commit(self, word):
        self.write('program', PROGRAM % word)
        self.git('add', '.')
        self.git('commit', '--quiet', '-m', word)
        return self.git('rev-parse', 'HEAD')

    def calls(self):
        with open(self.calls_file, encoding='utf-8') as file:
            return file.read().splitlines()

    def worktrees(self):
        return len(self.git('worktree', 'list').splitlines())

    def output(self, side):
        return subprocess.run(side.command, check=True, capture_output=True, text=True).stdout

    def build(self, commit):
        return built_program.built(self.tree, commit, '//p:program')

    def test_each_side_runs_its_own_commit_with_the_same_settings(self):
        self.write('user.bazelrc', 'build --fast\n')
        with self.build(self.first) as (baseline, candidate):
            self.assertEqual(self.output(baseline), 'first\nbuild --fast\n')
            self.assertEqual(self.output(candidate), 'second\nbuild --fast\n')
            self.assertEqual((baseline.commit, candidate.commit), (self.first[:12], self.second[:12]))
            self.assertFalse(os.path.exists(baseline.command[0] + '.runfiles/MANIFEST'))
        self.assertFalse(os.path.exists(baseline.command[0]))
        self.assertEqual(self.worktrees(), 1)

    def test_what_is_not_committed_belongs_to_the_candidate(self):
        self.write('program', PROGRAM % 'third')
        with self.build(self.second) as (baseline, candidate):
            self.assertEqual(self.output(baseline), 'second\n')
            self.assertEqual(self.output(candidate), 'third\n')
            self.assertEqual(candidate.commit, self.second[:12] + '+changes')
        self.assertIn('third', open(os.path.join(self.tree, 'program'), encoding='utf-8').read())

    def test_the_commit_is_built_by_the_cache_of_the_tree(self):
        with self.build(self.first):
            pass
        own = f'{self.tree}: '
        self.assertEqual(self.calls()[:2], [own + 'build //p:program', own + 'info output_base'])
        self.assertEqual([call.partition(': ')[2] for call in self.calls()[2:]],
                         ['--output_base=/var/base build //p:program', '--output_base=/var/base shutdown'])

    def test_a_commit_that_does_not_build_leaves_nothing(self):
        self.write('broken', '')
        self.git('add', 'broken')
        broken = self.commit('broken')
        self.git('rm', '--quiet', 'broken')
        self.commit('mended')
        with contextlib.redirect_stderr(open(os.devnull, 'w', encoding='utf-8')) as quiet, self.assertRaisesRegex(
                GateError, r'bazelw --output_base=\S+ build //p:program in .* exit status 1'), self.build(broken):
            self.fail('built')
        quiet.close()
        self.assertEqual((self.worktrees(), sorted(os.listdir(self.folder))), (1, ['calls', 'tree']))

    def test_a_label_that_is_no_program_is_refused(self):
        with self.assertRaisesRegex(GateError, 'left no program .*/p/other'), built_program.built(
                self.tree, self.first, '//p:other'):
            self.fail('built')

    def test_names_of_commits(self):
        self.assertEqual(checkout.commit_of(self.tree, 'HEAD~1'), self.first)
        for name in ('no-such-branch', '--all', './program', ''):
            self.assertIsNone(checkout.commit_of(self.tree, name))

    def test_outside_of_a_repository(self):
        with mock.patch.dict(os.environ, {'BUILD_WORKING_DIRECTORY': self.folder}), self.assertRaisesRegex(
                GateError, 'is in no working tree'):
            checkout.enclosing()
        with mock.patch.dict(os.environ, {'BUILD_WORKING_DIRECTORY': self.tree}):
            self.assertEqual(checkout.enclosing(), self.tree)

    def test_a_machine_without_git(self):
        with mock.patch.dict(os.environ, {'PATH': self.folder}), self.assertRaisesRegex(GateError, 'no git on PATH'):
            checkout.commit_of(self.tree, 'HEAD')


if __name__ == '__main__':
    xml_unittest.main()
