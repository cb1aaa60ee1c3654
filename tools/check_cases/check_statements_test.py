"""Every rule of the linter of statements refuses what breaks it; the project's own list passes."""
import copy
import json
import os
import unittest

from tools import source_tree
from tools import xml_unittest
from tools.check_cases import case_format
from tools.check_cases import check_statements

SOURCES = {'sources': [
    {'id': 'guide', 'kind': 'document', 'title': 'A guide to things', 'url': 'https://example.org/guide',
     'anchors': {'split': 'Batches are split over replicas.'}},
    {'id': 'issues', 'kind': 'issues', 'title': 'Issues of users', 'url': 'https://example.org/',
     'anchor_pattern': '[a-z]+/[a-z]+#[0-9]+'}]}
CASES = {'topic': 'Numbers in order', 'cases': [
    {'id': 'input/numbers/range_counts', 'level': 'required'},
    {'id': 'input/numbers/range_is_quick', 'level': 'observed'}]}
STATEMENT = {'id': 'guide/ranges_count', 'source': 'guide', 'anchor': 'split',
             'states': 'A range counts from zero.', 'level': 'required', 'group': 'INPUT',
             'cases': ['input/numbers/range_counts']}
DOCUMENT = {'groups': [{'id': 'INPUT', 'title': 'Reading things'}], 'statements': [STATEMENT]}


class CheckStatementsTest(source_tree.PlantedTree):
    """Plants a small conformance folder, spoils one thing, and reads what is said of it."""

    def setUp(self):
        super().setUp()
        schema = 'conformance/schemas/statements.schema.json'
        with open(schema, encoding='utf-8') as stream:
            self.plant(schema, stream.read())
        self.plant('conformance/sources.json', case_format.dump(SOURCES))
        self.plant('conformance/cases/input/numbers.json', case_format.dump(CASES))
        self.document = copy.deepcopy(DOCUMENT)
        self.statement = self.document['statements'][0]

    def problems(self):
        self.plant(check_statements.PATH, case_format.dump(self.document))
        return check_statements.check(self.root)

    def assert_refused(self, *words):
        problems = self.problems()
        self.assertEqual(len(problems), 1, problems)
        for word in words:
            self.assertIn(word, problems[0])

    def test_right_statement_passes(self):
        self.assertEqual(self.problems(), [])

    def test_planned_statement_passes(self):
        del self.statement['cases']
        self.statement['planned'] = 'comes later'
        self.assertEqual(self.problems(), [])

    def test_neither_cases_nor_planned(self):
        del self.statement['cases']
        self.assert_refused('at ["statements"][0]')

    def test_no_cases_named(self):
        self.statement['cases'] = []
        self.assert_refused('at ["statements"][0]["cases"]')

    def test_both_cases_and_planned(self):
        self.statement['planned'] = 'comes later'
        self.assert_refused('at ["statements"][0]')

    def test_case_that_does_not_exist(self):
        self.statement['cases'].append('input/numbers/gone')
        self.assert_refused('guide/ranges_count: no case is called input/numbers/gone')

    def test_cases_that_are_only_observed(self):
        self.statement['cases'] = ['input/numbers/range_is_quick']
        self.assert_refused('its cases are only observed')

    def test_unknown_source(self):
        self.statement.update(id='book/ranges_count', source='book')
        self.assertIn('no document is called book', self.problems()[0])

    def test_source_that_is_no_document(self):
        self.statement.update(id='issues/ranges_count', source='issues', anchor='a/b#1')
        self.assertIn('no document is called issues', self.problems()[0])

    def test_unknown_anchor(self):
        self.statement['anchor'] = 'join'
        self.assertIn('guide has no anchor join', self.problems()[0])

    def test_anchor_without_a_statement(self):
        self.plant('conformance/sources.json', case_format.dump({'sources': [
            dict(SOURCES['sources'][0], anchors={'split': 'It is split.', 'join': 'It is joined.'})]}))
        self.assert_refused('no statement for the anchor join of guide')

    def test_id_of_another_source(self):
        self.statement['id'] = 'book/ranges_count'
        self.assert_refused('wanted guide/<claim>')

    def test_unknown_group(self):
        self.statement['group'] = 'OUTPUT'
        self.assertIn('no group is called OUTPUT', '\n'.join(self.problems()))

    def test_group_without_a_statement(self):
        self.document['groups'].append({'id': 'OUTPUT', 'title': 'Writing things'})
        self.assert_refused('no statement is of the group OUTPUT')

    def test_id_twice(self):
        self.document['statements'].append(dict(self.statement, states='A range ends before its end.'))
        self.assert_refused('stands twice: guide/ranges_count')

    def test_sentence_twice(self):
        self.document['statements'].append(dict(self.statement, id='guide/ranges_count_again'))
        self.assert_refused('stands twice: guide: A range counts from zero.')

    def test_sentence_that_says_what_ought_to_be(self):
        self.statement['states'] = 'A range should count from zero.'
        self.assert_refused('states: says what is, not what should be')

    def test_written_otherwise(self):
        self.plant(check_statements.PATH, json.dumps(DOCUMENT, indent=8))
        self.assertIn('not written as the tool writes it', check_statements.check(self.root)[0])
        self.assertEqual(check_statements.fix(self.root), [])
        self.assertEqual(check_statements.check(self.root), [])


class OwnStatementsTest(unittest.TestCase):
    maxDiff = None

    def test_no_statement_is_refused(self):
        self.assertEqual('\n'.join(check_statements.check(os.getcwd())), '')


if __name__ == '__main__':
    xml_unittest.main()
