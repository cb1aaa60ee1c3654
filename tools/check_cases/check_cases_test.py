"""The linter of cases, and the cases of the tree."""
import copy
import json
import os
import unittest

from tools import source_tree
from tools import xml_unittest
from tools.check_cases import case_format
from tools.check_cases import check_cases
from tools.check_cases import check_conventions
from tools.check_cases import check_deviations


SOURCES = {'sources': [
    {'id': 'guide', 'kind': 'document', 'title': 'A guide to things', 'url': 'https://example.org/guide',
     'anchors': {'split': 'Batches are split over replicas.'}},
    {'id': 'issues', 'kind': 'issues', 'title': 'Issues of users', 'url': 'https://example.org/',
     'anchor_pattern': '[a-z]+/[a-z]+#[0-9]+'}]}
DESIGN = {'id': 'design', 'kind': 'decision', 'title': 'Design choices', 'url': 'docs/design.md',
          'anchor_pattern': '[a-z0-9-]+'}
DECISION = {'source': 'design', 'anchor': 'counting-from-zero-or-not'}

OPERATIONS = '''# Operations
### `data.range`
| argument | type | meaning |
|---|---|---|
| stop | integer | the end |
| kind | choice: up, down; optional | which way |

Gives: numbers.

### `data.each`
| argument | type | meaning |
|---|---|---|
| of | name | numbers |
| as | binding | one of them |
| program | program | the block |

Gives: nothing.

### `data.show`
| argument | type | meaning |
|---|---|---|
| of | value | anything |

Gives: it.
'''

CONVENTIONS = {'conventions': [
    {'id': 'remainder', 'values': [{'id': 'split'}, {'id': 'pad'}]},
    {'id': 'empty', 'values': [{'id': 'batch'}, {'id': 'error'}]}]}

CASE = {
    'id': 'input/numbers/range_counts_from_zero',
    'level': 'required',
    'states': 'A range holds the numbers from zero to the one before its end.',
    'cites': [{'source': 'guide', 'anchor': 'split'}, {'source': 'issues', 'anchor': 'some/project#7'}],
    'given': {'strategy': 'mirrored', 'replicas': 2},
    'program': [
        {'let': 'numbers', 'step': 'data.range', 'stop': 2},
        {'step': 'data.each', 'of': 'numbers', 'as': 'number', 'program': [
            {'observe': 'seen', 'step': 'data.show', 'of': 'number'}]}],
    'expect': [{'observation': 'seen', 'equals': [0, 1]}],
}


class CheckCasesTest(source_tree.PlantedTree):
    """Plants a small conformance folder, spoils one thing, and reads what is said of it."""

    def setUp(self):
        super().setUp()
        self.case = copy.deepcopy(CASE)
        for name in ('case_file', 'sources'):
            path = os.path.join('conformance/schemas', name + '.schema.json')
            with open(path, encoding='utf-8') as stream:
                self.plant(path, stream.read())
        self.plant('conformance/sources.json', case_format.dump(SOURCES))
        self.plant('conformance/operations.md', OPERATIONS)
        self.plant('conformance/conventions.json', case_format.dump(CONVENTIONS))

    def problems(self, *more_cases, path='input/numbers', topic='Numbers in order'):
        document = {'topic': topic, 'cases': [self.case, *more_cases]}
        self.plant('conformance/cases/%s.json' % path, case_format.dump(document))
        return check_cases.check(self.root)

    def assert_refused(self, words, *more_cases, **options):
        problems = self.problems(*more_cases, **options)
        self.assertIn(words, '\n'.join(problems))
        self.assertEqual(len(problems), 1, problems)

    def test_right_case_passes(self):
        self.assertEqual(self.problems(), [])

    def test_malformed_json(self):
        self.plant('conformance/cases/input/other.json', '{"topic": ')
        self.assertIn('other.json: Expecting value', '\n'.join(self.problems()))

    def test_key_twice(self):
        self.plant('conformance/cases/input/other.json', '{"topic": "one", "topic": "two"}')
        self.assertIn("the key 'topic' stands twice", '\n'.join(self.problems()))

    def test_schema_names_the_place(self):
        self.case['level'] = 'vital'
        problems = '\n'.join(self.problems())
        self.assertIn('at ["cases"][0]["level"]', problems)
        self.assertIn("'vital' is not one of", problems)

    def test_close_without_a_reason(self):
        self.case['expect'] = [{'observation': 'seen', 'close': [0, 1], 'rtol': 0.1}]
        self.assertIn('["expect"][0]', '\n'.join(self.problems()))

    def test_close_without_a_tolerance(self):
        self.case['expect'] = [{'observation': 'seen', 'close': [0, 1], 'because': 'it rounds twice'}]
        self.assertIn('["expect"][0]', '\n'.join(self.problems()))

    def test_replicas_without_a_mirrored_strategy(self):
        self.case['given']['strategy'] = 'default'
        self.assertIn('["given"]', '\n'.join(self.problems()))

    def test_replicas_that_nobody_wants(self):
        for replicas in (0, 65, [2, 100000], 1 << 63):
            self.case['given']['replicas'] = replicas
            self.assertIn('["given"]["replicas"]', '\n'.join(self.problems()))
        self.case['given']['replicas'] = 64
        self.assertEqual(self.problems(), [])
        self.case['given']['logical_devices'] = 65
        self.assertIn('["given"]["logical_devices"]', '\n'.join(self.problems()))

    def test_rounds_that_nobody_wants(self):
        self.plant('conformance/operations.md', OPERATIONS.replace('data.each', 'program.repeat').replace(
            '| of | name | numbers |', '| of | name | numbers |\n| times | integer | how often |'))
        repeat = self.case['program'][1]
        repeat.update(step='program.repeat', times=1000000)
        self.assertEqual(self.problems(), [])
        for times in (-1, 1000001, 1 << 63, 1.5):
            repeat['times'] = times
            self.assertIn('["program"][1]["times"]', '\n'.join(self.problems()))

    def test_written_otherwise(self):
        self.plant('conformance/cases/input/numbers.json',
                   json.dumps({'topic': 'Numbers in order', 'cases': [self.case]}, indent=8))
        self.assertIn('not written as the tool writes it', check_cases.check(self.root)[0])
        self.assertEqual(check_cases.fix(self.root), [])
        self.assertEqual(check_cases.check(self.root), [])

    def test_id_of_another_file(self):
        self.assert_refused('does not follow its file, wanted input/figures/<claim>', path='input/figures')

    def test_unknown_area(self):
        self.case['id'] = 'kitchen/numbers/range_counts_from_zero'
        self.assert_refused('no area: kitchen', path='kitchen/numbers')

    def test_long_claim(self):
        self.case['id'] += '_' * 60
        self.assert_refused('longer than 60')

    def test_id_twice(self):
        other = dict(self.case, states='A range ends before its end.')
        self.assert_refused('the id stands in', other)

    def test_statement_twice(self):
        other = dict(self.case, id=self.case['id'] + '_too')
        self.assert_refused('the statement stands in', other)

    def test_topic_twice(self):
        self.problems()
        self.case.update(id='input/more/range_ends', states='A range ends before its end.')
        self.assert_refused('the topic stands in', path='input/more')

    def test_states_rules(self):
        for states, words in (('A range should hold the numbers from zero.', 'not what should be'),
                              ('A range holds the numbers from zero', 'no full stop'),
                              ('a range holds the numbers from zero.', 'no capital'),
                              ('A range holds numbers. They begin with zero.', 'more than one sentence')):
            self.case['states'] = states
            self.assert_refused(words)

    def test_unknown_source(self):
        self.case['cites'].append({'source': 'rumour', 'anchor': 'split'})
        self.assert_refused('unknown source rumour')

    def test_unknown_anchor(self):
        self.case['cites'][0]['anchor'] = 'elsewhere'
        self.assert_refused('guide has no anchor elsewhere')

    def test_anchor_of_no_issue(self):
        self.case['cites'][1]['anchor'] = 'number seven'
        self.assert_refused('no anchor of issues')

    def test_required_without_a_document(self):
        self.case['cites'] = self.case['cites'][1:]
        self.assertIn('what is of level required cites a document', '\n'.join(self.problems()))

    def test_source_nobody_cites(self):
        self.case['cites'] = self.case['cites'][:1]
        self.assert_refused('no case cites issues')

    def test_step_nobody_uses(self):
        self.plant('conformance/operations.md', OPERATIONS + '### `data.idle`\nGives: nothing.\n')
        self.assert_refused('no case uses data.idle')

    def test_unknown_step(self):
        self.case['program'].append({'step': 'data.guess'})
        self.assert_refused('program[2]: unknown step data.guess')

    def test_argument_missing(self):
        del self.case['program'][0]['stop']
        self.assert_refused("program[0]: the argument 'stop' is missing")

    def test_argument_unknown(self):
        self.case['program'][0]['start'] = 1
        self.assert_refused("data.range has no argument 'start'")

    def test_argument_of_another_type(self):
        self.case['program'][0]['stop'] = 2.5
        self.assert_refused('stop is no integer: 2.5')

    def test_choice_of_something_else(self):
        self.case['program'][0]['kind'] = 'sideways'
        self.assert_refused('kind is no choice of up, down: "sideways"')

    def test_name_that_is_not_bound(self):
        self.case['program'][1]['program'][0]['of'] = 'nobody'
        self.assert_refused("program[1].program[0]: nothing is called 'nobody' here")

    def test_name_of_a_block_seen_behind_it(self):
        self.case['program'].append({'observe': 'late', 'step': 'data.show', 'of': 'number'})
        self.case['expect'].append({'observation': 'late', 'equals': 1})
        self.assert_refused("program[2]: nothing is called 'number' here")

    def test_let_nobody_reads(self):
        self.case['program'].append({'let': 'idle', 'step': 'data.range', 'stop': 1})
        self.assert_refused("program[2]: 'idle' is never used")

    def test_let_of_nothing(self):
        self.case['program'][1]['observe'] = 'rounds'
        self.case['expect'].append({'observation': 'rounds', 'equals': 2})
        self.assert_refused('data.each gives nothing to observe')

    def test_observation_in_a_block_that_makes_none(self):
        text = OPERATIONS.replace('data.each', 'dataset.map')
        self.plant('conformance/operations.md', text)
        self.case['program'][1]['step'] = 'dataset.map'
        self.assert_refused('program[1]: the block of dataset.map observes nothing')

    def test_observation_nobody_expects(self):
        self.case['program'].append({'observe': 'idle', 'step': 'data.range', 'stop': 1})
        self.assert_refused("nothing is expected of the observation 'idle'")

    def test_observation_twice(self):
        self.case['program'].append({'observe': 'seen', 'step': 'data.range', 'stop': 1})
        self.assertIn("'seen' is observed by two steps", '\n'.join(self.problems()))

    def test_expectation_of_nothing(self):
        self.case['expect'].append({'observation': 'unseen', 'equals': 1})
        self.assert_refused("no step observes 'unseen'")

    def test_expectation_beyond_the_level(self):
        self.case['level'] = 'observed'
        self.case['expect'].append({'observation': 'seen', 'same_multiset': [0, 1], 'level': 'required'})
        self.assert_refused("required is more than the case's level")

    def plant_decisions(self):
        self.plant('conformance/sources.json', case_format.dump({'sources': [*SOURCES['sources'], DESIGN]}))
        self.plant('docs/design.md', '# Design\n\n## Counting: from zero, or not\n')

    def test_what_is_decided_cites_where(self):
        self.case['expect'].append({'observation': 'seen', 'same_multiset': [0, 1], 'level': 'decision'})
        self.assert_refused('what is of level decision cites a decision')
        self.plant_decisions()
        self.case['cites'].append(DECISION)
        self.assertEqual(self.problems(), [])
        self.case['cites'][-1]['anchor'] = 'counting'
        self.assert_refused('docs/design.md has no heading #counting')

    def test_a_decision_needs_no_document(self):
        self.plant_decisions()
        self.case['level'] = 'decision'
        self.case['cites'][0] = DECISION
        self.assert_refused('no case cites guide')
        self.assertEqual(len(self.problems()), 1)

    def test_no_expectation_of_the_level(self):
        self.case['expect'][0]['level'] = 'observed'
        self.assert_refused('nothing is required')

    def test_error_and_more(self):
        self.case['expect'].append({'error': 'OutOfRange', 'at_step': 'data.range'})
        self.assert_refused('nothing but the error')

    def test_error_for_some_testees_and_more_for_others(self):
        self.case['expect'][0]['when'] = {'remainder': 'split'}
        self.case['expect'].append({'error': 'OutOfRange', 'at_step': 'data.range', 'when': {'remainder': 'pad'}})
        self.assertEqual(self.problems(), [])
        self.case['expect'][1]['when'] = {'empty': 'error'}
        self.assert_refused('nothing but the error')

    def test_when_of_what_there_is_not(self):
        self.case['expect'][0]['when'] = {'colour': 'red'}
        self.assert_refused("when: unknown convention 'colour'")
        self.case['expect'][0]['when'] = {'remainder': 'eat'}
        self.assert_refused("remainder has no value 'eat', wanted one of: split, pad")
        self.case['expect'][0]['when'] = {}
        self.assertIn('["expect"][0]', '\n'.join(self.problems()))

    def test_error_of_a_step_that_is_not_done(self):
        del self.case['program'][1]['program'][0]['observe']
        self.case['expect'] = [{'error': 'OutOfRange', 'at_step': 'data.idle'}]
        self.assert_refused('the program has no step data.idle')

    def test_equals_that_never_holds(self):
        self.case['expect'] = [{'observation': 'seen', 'equals': [0, 0.7]}]
        self.assert_refused('0.7 is no float32')


class OperationsTest(source_tree.PlantedTree):
    """What operations.md itself has to be like."""

    def assert_malformed(self, text, words):
        with self.assertRaisesRegex(check_cases.operations.Malformed, words):
            check_cases.operations.parse(text)

    def test_reads_types(self):
        steps = check_cases.operations.parse(OPERATIONS)
        self.assertEqual(list(steps), ['data.range', 'data.each', 'data.show'])
        self.assertEqual(steps['data.range'].arguments['kind'].choices, ['up', 'down'])
        self.assertTrue(steps['data.range'].arguments['kind'].optional)
        self.assertFalse(steps['data.each'].gives_something)

    def test_refuses_what_it_cannot_read(self):
        self.assert_malformed('# Nothing', 'no step is described')
        self.assert_malformed(OPERATIONS + OPERATIONS, 'data.range is described twice')
        self.assert_malformed('### Steps\n', 'no name of a step')
        self.assert_malformed('### `data.x`\n', 'one line begins with "Gives: "')
        self.assert_malformed('### `data.x`\n| a | wonder | b |\nGives: nothing.', "unknown type 'wonder'")
        self.assert_malformed('### `data.x`\n| a |\nGives: nothing.', 'no row of arguments')


class CasesTest(unittest.TestCase):
    maxDiff = None

    def test_no_case_is_refused(self):
        self.assertEqual('\n'.join(check_cases.check(os.getcwd())), '')

    def test_no_convention_is_refused(self):
        self.assertEqual('\n'.join(check_conventions.check(os.getcwd())), '')

    def test_no_deviation_and_no_testee_is_refused(self):
        self.assertEqual('\n'.join(check_deviations.check(os.getcwd())), '')


if __name__ == '__main__':
    xml_unittest.main()
