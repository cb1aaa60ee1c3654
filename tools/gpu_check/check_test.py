import contextlib
import io
import json
import os
import unittest

from tools import xml_unittest
from tools.gpu_check import check

WRITE_REPORT = '''for word in "$@"; do
  case "$word" in --gtest_output=xml:*) path="${word#--gtest_output=xml:}";; esac
done
printf '%%s' '<testsuites><testsuite><testcase name="a"/>%s</testsuite></testsuites>' > "$path"
'''


class CheckTest(unittest.TestCase):
    """check.py on packages whose programs are shell scripts."""

    def setUp(self):
        self.root = os.path.join(os.environ['TEST_TMPDIR'], self.id())
        self.output = os.path.join(self.root, 'results')
        for name in ('bin', 'lib', 'data'):
            os.makedirs(os.path.join(self.root, name))

    def add(self, name, text):
        path = os.path.join(self.root, 'bin', name)
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write('#!/bin/sh\n' + text)
        os.chmod(path, 0o755)

    def check(self, *arguments, tests=(), programs=(), libraries=()):
        manifest = {'commit': 'abc', 'cuda_libraries': list(libraries), 'tests': list(tests), 'programs': list(programs)}
        with open(os.path.join(self.root, 'manifest.json'), 'w', encoding='utf-8') as stream:
            json.dump(manifest, stream)
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
            status = check.main(['--output', self.output, *arguments], root=self.root)
        return status, errors.getvalue()

    def results(self):
        with open(os.path.join(self.output, 'summary.json'), encoding='utf-8') as stream:
            return {result['name']: result for result in json.load(stream)['results']}

    def test_counts_the_cases_of_a_test(self):
        self.add('good', WRITE_REPORT % '<testcase name="b"/>')
        self.assertEqual(self.check(tests=['good'])[0], 0)
        result = self.results()['good']
        self.assertEqual((result['result'], result['cases'], result['failed_cases']), ('passed', 2, 0))

    def test_one_failure_is_a_failure(self):
        self.add('good', WRITE_REPORT % '')
        self.add('bad', WRITE_REPORT % '<testcase name="b"><failure/></testcase>' + 'exit 1')
        self.assertEqual(self.check(tests=['bad', 'good'])[0], 1)
        self.assertEqual(self.results()['bad']['failed_cases'], 1)
        self.assertEqual(self.results()['good']['result'], 'passed')

    def test_what_was_skipped_or_gave_no_report_did_not_pass(self):
        self.add('skips', WRITE_REPORT % '<testcase name="b" result="skipped"><skipped/></testcase>')
        self.add('exits', 'exit 0')
        self.assertEqual(self.check(tests=['exits', 'skips'])[0], 1)
        self.assertEqual(self.results()['skips']['result'], 'skipped')
        self.assertEqual(self.results()['exits']['result'], 'failed')

    def test_nobody_is_waited_for_beyond_the_deadlines(self):
        self.add('hangs', 'exec sleep 600')
        self.add('late', WRITE_REPORT % '')
        self.assertEqual(self.check('--each=0.2', tests=['hangs'])[0], 1)
        self.assertEqual(self.results()['hangs']['result'], 'timed out')
        self.assertEqual(self.check('--deadline=0', tests=['late'])[0], 1)
        self.assertEqual(self.results()['late']['result'], 'not run')

    def test_programs_write_into_the_results(self):
        self.add('bench', 'test "$LOCKSTEP_REQUIRE_GPU" = 1 && echo 1 > "$1"')
        program = {'name': 'bench', 'binary': 'bench', 'arguments': ['{output}/bench.json'], 'seconds': 5}
        self.assertEqual(self.check(programs=[program])[0], 0)
        self.assertTrue(os.path.exists(os.path.join(self.output, 'bench.json')))

    def test_missing_libraries_are_named_before_anything_runs(self):
        status, errors = self.check(tests=['x'], libraries=['libcudnn_of_nobody.so.9'])
        self.assertEqual(status, 2)
        self.assertIn('libcudnn_of_nobody.so.9', errors)

    def test_libraries_are_found_in_the_wheels(self):
        folder = os.path.join(self.root, 'site', 'nvidia', 'cudnn', 'lib')
        os.makedirs(folder)
        with open(os.path.join(folder, 'libcudnn.so.0'), 'w', encoding='utf-8'):
            pass
        folders = check.cuda_folders([os.path.join(self.root, 'site')])
        self.assertEqual(check.find_libraries(['libcudnn.so.0', 'libx.so'], folders),
                         {'libcudnn.so.0': folder, 'libx.so': None})

    def test_nothing_to_run_is_no_success(self):
        self.assertEqual(self.check()[0], 1)


if __name__ == '__main__':
    xml_unittest.main()
