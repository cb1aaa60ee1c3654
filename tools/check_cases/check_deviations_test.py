"""Every rule of the deviations' linter refuses what breaks it, and right lists pass."""
import copy

from tools import source_tree
from tools import xml_unittest
from tools.check_cases import case_format
from tools.check_cases import check_deviations

ENTRY = {'id': 'a/b/c', 'verdict': 'failed', 'kind': 'defect', 'observed': {'observations': {'x': [2]}},
         'reason': 'It adds one too many each time.', 'reference': 'https://example.org/1', 'versions': '1.2',
         'repro': 'mini/adds.py'}
TESTEES = {'testees': [{'name': 'mini', 'means': 'A small one.', 'command': ['sh', 'mini.sh']}]}


class CheckDeviationsTest(source_tree.PlantedTree):
    """Plants a list and a table of testees, spoils one thing, and reads what is said of it."""

    def setUp(self):
        super().setUp()
        for path in (check_deviations.SCHEMA, check_deviations.TESTEES_SCHEMA):
            with open(path, encoding='utf-8') as stream:
                self.plant(path, stream.read())
        cases = {'cases': [{'id': 'a/b/c'}, {'id': 'a/b/d'}]}
        self.plant('conformance/cases/a/b.json', case_format.dump(cases))
        self.plant('conformance/deviations/repro/mini/adds.py')
        self.entry = copy.deepcopy(ENTRY)
        self.document = {'implementation': 'mini', 'entries': [self.entry]}
        self.testees = copy.deepcopy(TESTEES)

    def problems(self, name='mini'):
        self.plant('conformance/deviations/%s.json' % name, case_format.dump(self.document))
        self.plant(check_deviations.TESTEES, case_format.dump(self.testees))
        return check_deviations.check(self.root)

    def assert_problems(self, *words, name='mini'):
        problems = self.problems(name)
        self.assertEqual(len(problems), len(words), problems)
        for problem, word in zip(problems, words):
            self.assertIn(word, problem)

    def test_right_list_passes(self):
        self.assert_problems()
        self.entry['id'] = 'a/*/*'
        self.assert_problems()

    def test_everything_that_can_come_instead_passes(self):
        error = {'error': {'class': 'Internal', 'at_step': 'data.x'}}
        for observed in (error, {'unsupported': {'step': 'data.x'}}, {'timed_out': True}, {'crashed': 'SIGSEGV'},
                         {'replicas': {'2': error}},
                         {'observations': {'x': 1}, 'compared_with': {'x': 2}}):
            self.entry['observed'] = observed
            self.assert_problems()

    def test_protocol_error_is_none_of_the_implementation(self):
        self.entry['verdict'] = 'protocol_error'
        self.assert_problems("'protocol_error' is not one of")

    def test_schema_names_the_place(self):
        self.entry['reason'] = ''
        self.assert_problems('mini.json: at ["entries"][0]["reason"]')

    def test_list_of_another(self):
        self.document['implementation'] = 'maxi'
        self.assert_problems('is a list for maxi')

    def test_reference_has_none(self):
        self.document['implementation'] = 'reference'
        self.assert_problems('the reference passes every case', name='reference')

    def test_order(self):
        self.document['entries'].append(dict(self.entry, id='a/b/d'))
        self.assert_problems()
        self.document['entries'].reverse()
        self.assert_problems('not in order')

    def test_no_such_case(self):
        self.entry['id'] = 'a/b/e'
        self.assert_problems('a/b/e: there is no such case')

    def test_star_does_not_span_slashes(self):
        self.entry['id'] = 'a/*/*/c'
        self.assertIn('does not match', self.problems()[0])

    def test_listed_twice(self):
        self.document['entries'].insert(0, dict(self.entry, id='a/b/*'))
        self.assert_problems('a/b/c is listed twice: a/b/*, a/b/c')

    def test_missing_script(self):
        self.entry['repro'] = 'mini/subtracts.py'
        self.assert_problems('a/b/c: there is no script repro/mini/subtracts.py')

    def test_testee_twice(self):
        self.testees['testees'] *= 2
        self.assert_problems('mini stands here twice')

    def test_testee_without_a_command(self):
        self.testees['testees'][0]['command'] = []
        self.assert_problems('at ["testees"][0]["command"]')


if __name__ == '__main__':
    xml_unittest.main()
