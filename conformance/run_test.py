"""The programs as people and build servers use them: what they print, write and return."""
import json
import os
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree

import jsonschema

from tools import xml_unittest

RUN = 'conformance/run'

PROGRAM = [{'let': 'numbers', 'step': 'dataset.range', 'stop': 2},
           {'observe': 'elements', 'step': 'dataset.elements', 'of': 'numbers'}]


def make_case(claim, expect, **changes):
    return {'id': 'input/own/' + claim, 'level': 'required', 'states': 'A range holds <numbers> & counts.',
            'cites': [{'source': 'distributed_input', 'anchor': '0Qb6nDgxiN_n'}],
            'given': {'strategy': 'default'}, 'program': PROGRAM, 'expect': [expect]} | changes


def elements(values):
    return {'observation': 'elements', 'equals': values}


CASES = [
    make_case('passes', elements([0, 1])),
    make_case('is_listed', elements([0, 2])),
    make_case('fails', elements([0, 3])),
    make_case('ends_with_an_error', elements([0, 1]), program=PROGRAM + [
        {'step': 'dataset.batch', 'of': 'numbers', 'size': 0}]),
]
DEVIATIONS = {'implementation': 'own', 'entries': [
    {'id': 'input/own/is_listed', 'verdict': 'failed', 'kind': 'by_design',
     'observed': {'observations': {'elements': [0, 1]}}, 'reason': 'The reference counts by one.',
     'reference': 'https://example.org/1', 'versions': '1'}]}


class RunTest(unittest.TestCase):
    """Puts cases of its own, and then the built-in ones, to the reference."""

    def setUp(self):
        self.folder = os.path.join(os.environ['TEST_TMPDIR'], self.id())
        os.makedirs(self.folder + '/input')
        self.write('input/own.json', {'topic': 'Own cases', 'cases': CASES})
        self.write('own.json', DEVIATIONS)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, document):
        with open(self.path(name), 'w', encoding='utf-8') as stream:
            json.dump(document, stream)

    def read_json(self, name):
        with open(self.path(name), encoding='utf-8') as stream:
            return json.load(stream)

    def run_program(self, *arguments):
        environment = {key: value for key, value in os.environ.items() if not key.startswith('BUILD_')}
        return subprocess.run([RUN, *arguments], capture_output=True, text=True, env=environment)

    def run_own(self, *arguments):
        return self.run_program('--cases=' + self.path('input'), '--deviations=' + self.path('own.json'), *arguments)

    def junit(self):
        return xml.etree.ElementTree.parse(self.path('r.xml')).getroot()

    def test_results_follow_their_schema(self):
        self.assertEqual(self.run_own('--json=' + self.path('r.json')).returncode, 1)
        results = self.read_json('r.json')
        with open('conformance/schemas/results.schema.json', encoding='utf-8') as stream:
            jsonschema.validate(results, json.load(stream), cls=jsonschema.Draft7Validator)
        verdicts = {case['id'].split('/')[-1]: (case['verdict'], case['as_expected']) for case in results['cases']}
        self.assertEqual(verdicts, {'passes': ('passed', True), 'is_listed': ('failed', True),
                                    'fails': ('failed', False), 'ends_with_an_error': ('errored', False)})
        self.assertEqual(results['testee']['conventions']['gradient_combination'], 'sum')

    def test_junit_is_read_as_jenkins_and_gitlab_do(self):
        self.assertEqual(self.run_own('--junit=' + self.path('r.xml')).returncode, 1)
        root = self.junit()
        self.assertEqual(root.tag, 'testsuites')
        (suite,) = root.findall('testsuite')
        for element in (root, suite):
            self.assertEqual([element.get(name) for name in ('tests', 'failures', 'errors', 'skipped')],
                             ['4', '1', '1', '1'])
        cases = {case.get('name'): case for case in suite.findall('testcase')}
        self.assertEqual(set(cases), {'passes', 'is_listed', 'fails', 'ends_with_an_error'})
        self.assertEqual([child.tag for child in cases['passes']], [])
        self.assertIn('by_design', cases['is_listed'].find('skipped').get('message'))
        failure = cases['fails'].find('failure')
        self.assertIn('A range holds <numbers> & counts.', failure.text)
        self.assertIn('not_listed', failure.get('message'))
        self.assertEqual(cases['ends_with_an_error'].find('error').get('type'), 'errored')
        for case in cases.values():
            self.assertEqual(case.get('classname'), 'conformance.reference.input.own')
            self.assertGreaterEqual(float(case.get('time')), 0)
        self.assertIn('--filter=input/own/fails', cases['fails'].find('system-out').text)

    def test_junit_is_green_where_the_run_is(self):
        self.assertEqual(self.run_own('--junit=' + self.path('r.xml'), '--filter=*/*s*ed').returncode, 0)
        self.assertEqual((self.junit().get('failures'), self.junit().get('errors')), ('0', '0'))

    def test_update_then_reasons_then_green(self):
        self.write('own.json', {'implementation': 'own', 'entries': []})
        self.assertEqual(self.run_own('--update').returncode, 0)
        refused = self.run_own()
        self.assertEqual(refused.returncode, 1)
        self.assertIn('own.json at $.entries[0].reason', refused.stdout)
        document = self.read_json('own.json')
        self.assertEqual(len(document['entries']), 3)
        for entry in document['entries']:
            entry.update(reason='It was made so for this test.', reference='https://example.org/1')
        self.write('own.json', document)
        self.assertEqual(self.run_own().returncode, 0)
        with open('conformance/schemas/deviations.schema.json', encoding='utf-8') as stream:
            jsonschema.validate(document, json.load(stream), cls=jsonschema.Draft7Validator)

    def test_bad_input_is_named_with_file_and_place(self):
        for changes, words in (
                ({'level': 'vital'}, "$.cases[0].level: unknown level 'vital'"),
                ({'program': [{'step': 'data.guess'}]}, "$.cases[0].program[0].step: unknown step 'data.guess'"),
                ({'cites': [{'source': 'rumour', 'anchor': 'x'}]}, "$.cases[0].cites[0].source: unknown source"),
                ({'expect': [elements([0]) | {'when': {'colour': 'red'}}]},
                 "$.cases[0].expect[0].when.colour: unknown convention 'colour'")):
            self.write('input/own.json', {'topic': 'Own', 'cases': [make_case('x', elements([0])) | changes]})
            self.assert_refused(words)
        self.write('input/own.json', {'topic': 'Own', 'cases': [CASES[0], CASES[0]]})
        self.assert_refused("$.cases[1].id: the id 'input/own/passes' stands already in")
        self.write('input/own.json', {'topic': 'Own', 'format': 2, 'cases': CASES})
        self.assert_refused('$.format: this runner reads format 1, got 2')
        with open(self.path('input/own.json'), 'w', encoding='utf-8') as stream:
            stream.write('{"topic": "Own",\n "cases": [')
        self.assert_refused('line 2')

    def assert_refused(self, words):
        result = self.run_own()
        self.assertEqual(result.returncode, 2, result)
        self.assertIn(words, result.stderr)
        self.assertIn(self.path('input/own.json'), result.stderr)

    def test_a_testee_that_does_not_start_is_told_once(self):
        result = self.run_own('--testee=python3 -c "raise SystemExit(\'no such device\')"',
                              '--json=' + self.path('r.json'))
        self.assertEqual((result.returncode, result.stdout), (2, ''))
        self.assertIn('does not start: crashed by exit status 1\nno such device', result.stderr)
        self.assertFalse(os.path.exists(self.path('r.json')))

    def test_no_gpu_is_said_once(self):
        result = self.run_program('--testee=reference_gpu', '--filter=loss/*')
        if result.returncode == 2:
            self.assertIn('[FindDevice] no device GPU:0', result.stderr)
            self.assertLess(len(result.stderr.splitlines()), 4)
        else:
            self.assertIn('everything is as expected of reference', result.stdout)

    def test_interrupted_run_leaves_its_results(self):
        arguments = ['--repeat=100000', '--filter=input/own/passes', '--json=' + self.path('r.json')]
        process = subprocess.Popen([RUN, '--cases=' + self.path('input'), *arguments],
                                   stdout=subprocess.PIPE, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 2)
        self.assertIn('interrupted: the results are incomplete', output)
        self.assertFalse(self.read_json('r.json')['complete'])

    def test_built_in_cases_pass_in_process_and_over_the_pipe_alike(self):
        runs = {}
        for testee in ('reference', 'reference_pipe'):
            result = self.run_program('--testee=' + testee, '--json=' + self.path('r.json'))
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertIn('everything is as expected of reference', result.stdout)
            runs[testee] = [(case['id'], case['verdict'], case['observed_differently'])
                            for case in self.read_json('r.json')['cases']]
        self.assertEqual(runs['reference'], runs['reference_pipe'])


if __name__ == '__main__':
    xml_unittest.main()
