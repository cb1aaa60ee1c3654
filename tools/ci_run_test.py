"""What .ci/run prints last and exits with, over a stand-in for ./bazelw."""
import os
import shutil
import subprocess
import tempfile
import unittest

from tools import xml_unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(xml_unittest.__file__)))

BAZELW = '''#!/bin/bash
echo "$CI $*" >>"$CALLS"
case $1 in
  test) printf '%b' "$FAKE_TESTS"; exit ${FAKE_TEST_STATUS:-0} ;;
  run)
    mkdir -p "$PWD/results"
    for made in result:${FAKE_RESULT:-results/r.json} report:results/r.html; do
      echo '{}' >"${made#*:}"
      [ "${made%%:*}" = "${FAKE_SILENT:-}" ] || printf '%-8s%s\\n' "${made%%:*}" "$PWD/${made#*:}"
    done
    exit ${FAKE_RUN_STATUS:-0} ;;
esac
'''


class CiRunTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = os.path.join(folder.name, 'tree')
        self.calls_file = os.path.join(folder.name, 'calls')
        os.makedirs(os.path.join(self.tree, '.ci'))
        for name in ['.ci/run', '.gitignore']:
            shutil.copy(os.path.join(ROOT, name), os.path.join(self.tree, name))
        with open(os.path.join(self.tree, 'bazelw'), 'w', encoding='utf-8') as stream:
            stream.write(BAZELW)
        os.chmod(os.path.join(self.tree, 'bazelw'), 0o755)
        for command in [['init', '--quiet'], ['add', '.'], ['commit', '--quiet', '-m', 'x']]:
            subprocess.run(['git', '-c', 'user.name=a', '-c', 'user.email=a@example.org', *command],
                           cwd=self.tree, check=True)

    def run_ci(self, tests, **environment):
        """(exit status, last line) of .ci/run when the tests print `tests`."""
        variables = {'PATH': '/usr/bin:/bin', 'CALLS': self.calls_file, 'FAKE_TESTS': tests, **environment}
        done = subprocess.run(['bash', os.path.join(self.tree, '.ci/run')], env=variables, cwd='/',
                              stdout=subprocess.PIPE, text=True, check=False)
        self.said = done.stdout
        return done.returncode, done.stdout.splitlines()[-1]

    def test_runs_the_two_commands_of_the_readme_in_its_order(self):
        self.assertEqual(self.run_ci('1200 passed, 0 failed\n'), (0, '1204 passed, 0 failed'))
        with open(self.calls_file, encoding='utf-8') as stream:
            calls = stream.read().splitlines()
        self.assertTrue(calls[0].startswith('true run //benchmarks:scaling -- '), calls[0])
        for output in ['--json', '--report']:  # go where they go without being told
            self.assertNotIn(output, calls[0])
        self.assertEqual(calls[1:], ['true test //...', 'true shutdown'])

    def test_a_failed_test_fails(self):
        self.assertEqual(self.run_ci('FAILED  //a\n9 passed, 1 failed\n', FAKE_TEST_STATUS='3'),
                         (1, '13 passed, 1 failed'))

    def test_a_run_without_a_count_fails(self):
        self.assertEqual(self.run_ci('no space left\n', FAKE_TEST_STATUS='1'), (1, '4 passed, 1 failed'))

    def test_a_failed_status_fails_whatever_was_counted(self):
        self.assertEqual(self.run_ci('9 passed, 0 failed\n', FAKE_TEST_STATUS='1')[0], 1)

    def test_a_failed_training_fails(self):
        self.assertEqual(self.run_ci('9 passed, 0 failed\n', FAKE_RUN_STATUS='1'), (1, '12 passed, 1 failed'))

    def test_a_training_that_names_no_report_fails(self):
        self.assertEqual(self.run_ci('9 passed, 0 failed\n', FAKE_SILENT='report'), (1, '12 passed, 1 failed'))

    def test_a_file_left_in_the_tree_fails(self):
        self.assertEqual(self.run_ci('9 passed, 0 failed\n', FAKE_RESULT='r.json'), (1, '12 passed, 1 failed'))
        self.assertIn('?? r.json', self.said)


if __name__ == '__main__':
    xml_unittest.main()
