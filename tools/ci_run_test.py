"""What .ci/run prints last and exits with, over a stand-in for ./bazelw."""
import os
import shutil
import subprocess
import tempfile
import unittest

from tools import xml_unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(xml_unittest.__file__)))

BAZELW = '''#!/bin/bash
echo "$CI $*" >>calls
case $1 in
  test) printf '%b' "$FAKE_TESTS"; exit ${FAKE_TEST_STATUS:-0} ;;
  run)
    for argument in "$@"; do
      case $argument in --json=*|--report=*) echo '{}' >"${argument#*=}" ;; esac
    done
    exit ${FAKE_RUN_STATUS:-0} ;;
esac
'''


class CiRunTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = folder.name
        os.makedirs(os.path.join(self.tree, '.ci'))
        shutil.copy(os.path.join(ROOT, '.ci/run'), os.path.join(self.tree, '.ci/run'))
        with open(os.path.join(self.tree, 'bazelw'), 'w', encoding='utf-8') as stream:
            stream.write(BAZELW)
        os.chmod(os.path.join(self.tree, 'bazelw'), 0o755)

    def run_ci(self, tests, **environment):
        """(exit status, last line) of .ci/run when the tests print `tests`."""
        variables = {'PATH': '/usr/bin:/bin', 'FAKE_TESTS': tests, **environment}
        done = subprocess.run(['bash', os.path.join(self.tree, '.ci/run')], env=variables, cwd='/',
                              stdout=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stdout.splitlines()[-1]

    def test_runs_the_two_commands_of_the_readme(self):
        self.assertEqual(self.run_ci('1200 passed, 0 failed\n'), (0, '1202 passed, 0 failed'))
        with open(os.path.join(self.tree, 'calls'), encoding='utf-8') as stream:
            calls = stream.read().splitlines()
        self.assertEqual(calls[0], 'true test //...')
        self.assertTrue(calls[1].startswith('true run //benchmarks:scaling -- '), calls[1])
        self.assertEqual(calls[2], 'true shutdown')

    def test_a_failed_test_fails(self):
        self.assertEqual(self.run_ci('FAILED  //a\n9 passed, 1 failed\n', FAKE_TEST_STATUS='3'),
                         (1, '11 passed, 1 failed'))

    def test_a_run_without_a_count_fails(self):
        self.assertEqual(self.run_ci('no space left\n', FAKE_TEST_STATUS='1'), (1, '2 passed, 1 failed'))

    def test_a_failed_status_fails_whatever_was_counted(self):
        self.assertEqual(self.run_ci('9 passed, 0 failed\n', FAKE_TEST_STATUS='1')[0], 1)

    def test_a_failed_main_job_fails(self):
        self.assertEqual(self.run_ci('9 passed, 0 failed\n', FAKE_RUN_STATUS='1'), (1, '10 passed, 1 failed'))


if __name__ == '__main__':
    xml_unittest.main()
