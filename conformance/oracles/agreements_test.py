"""Which expected values a framework has agreed with, and that each has two oracles."""
import contextlib
import io
import json
import os
import tempfile
import unittest

from conformance.oracles import agreements
from conformance.oracles import basis
from conformance.oracles import frameworks
from conformance.oracles import judge
from conformance.oracles import put_cases
from conformance.oracles import record as record_tool
from conformance.oracles import standing
from tools import source_tree
from tools import xml_unittest
from tools.check_cases import case_files

KNOWN = {name: frameworks.Framework(name, family, ('pack',), 'conformance/testees/mini/testee.py')
         for name, family in (('mini', 'one'), ('mini_too', 'one'), ('other', 'two'))}


def make_case(*expect, name='a/b/c'):
    return {'id': name, 'given': {'strategy': 'default'}, 'program': [{'observe': 'x', 'step': 'data.x'}],
            'expect': list(expect)}


def make_result(case, *runs):
    """Each run: whether each expectation held, None where it was not judged."""
    told = [{'findings': [{'expectation': index, 'holds': holds} for index, holds in enumerate(run)
                          if holds is not None]} for run in runs]
    return {'testee': {'implementation': 'Mini 1'}, 'cases': [
        case | {'runs': told, 'verdict': 'passed', 'as_expected': True}]}


class Basis:
    """Every framework's answers rest on the same."""

    def fingerprint(self, framework, case):
        return 'today'


def merge(record, name, result, rests_on='today'):
    agreements.merge(record, name, result, lambda case: rests_on)


def record_of(case, *runs, names=('mini',)):
    record = agreements.load('nowhere.json')
    for name in names:
        merge(record, name, make_result(case, *runs))
    return record


ONE = {'observation': 'x', 'equals': 1}
TWO = {'observation': 'x', 'close': [[2]], 'atol': 1, 'because': 'it rounds'}
TEXT = {'observation': 'x', 'equals': ['a', True, None]}
ERROR = {'error': 'NotFound', 'at_step': 'data.x'}


class MergeTest(unittest.TestCase):
    def agree(self, *runs):
        return record_of(make_case(ONE, TWO), *runs)['cases']['a/b/c']['agree']

    def test_what_held_in_every_run_agrees(self):
        self.assertEqual(self.agree([True, False]), [['mini'], []])
        self.assertEqual(self.agree([True, True], [True, False]), [['mini'], []])

    def test_what_was_not_judged_does_not_agree(self):
        self.assertEqual(self.agree([True, None], [None, True]), [[], []])

    def test_others_stay_and_a_later_run_counts(self):
        case = make_case(ONE)
        record = record_of(case, [True], names=['other'])
        merge(record, 'mini', make_result(case, [True]))
        self.assertEqual(record['cases']['a/b/c']['agree'], [['mini', 'other']])
        merge(record, 'other', make_result(case, [False]))
        self.assertEqual(record['cases']['a/b/c']['agree'], [['mini']])

    def test_what_was_said_of_another_form_is_forgotten(self):
        record = record_of(make_case(ONE), [True], names=['other'])
        merge(record, 'mini', make_result(make_case(TWO), [True]))
        self.assertEqual(record['cases']['a/b/c']['agree'], [['mini']])

    def test_a_version_is_of_the_cases_that_were_put(self):
        record = record_of(make_case(ONE), [True])
        later = make_result(make_case(ONE, name='a/b/later'), [True])
        later['testee']['implementation'] = 'Mini 2'
        merge(record, 'mini', later, 'tomorrow')
        self.assertEqual({case: entry['asked'] for case, entry in record['cases'].items()},
                         {'a/b/c': {'mini': ['Mini 1', 'today']}, 'a/b/later': {'mini': ['Mini 2', 'tomorrow']}})


    def test_what_timed_out_against_the_list_has_not_been_asked(self):
        for listed in (False, True):
            result = make_result(make_case(ONE), [False])
            result['cases'][0] |= {'verdict': 'timed_out', 'as_expected': listed}
            record = agreements.load('nowhere.json')
            merge(record, 'mini', result)
            self.assertEqual(bool(record['cases']), listed)


class StandingTest(unittest.TestCase):
    def problems(self, case, *holds):
        return standing.problems(record_of(case, holds, names=KNOWN), [case], KNOWN, Basis())

    def test_a_value_needs_a_framework_or_a_reason(self):
        self.assertEqual(self.problems(make_case(ONE, TWO), True, True), [])
        lacking = ["a/b/c: expectation 0: no framework agrees, and no 'no_framework_agrees' says why"]
        for expectation in (ONE, TEXT, ERROR):
            with self.subTest(expectation):
                self.assertEqual(self.problems(make_case(expectation), False), lacking)

    def test_an_error_and_a_text_need_a_reason_only(self):
        for expectation in (TEXT, ERROR):
            with self.subTest(expectation):
                self.assertEqual(
                    self.problems(make_case(expectation | {'no_framework_agrees': 'they all refuse'}), False), [])

    def test_a_number_needs_its_derivation_as_well(self):
        alone = ONE | {'no_framework_agrees': 'they all refuse'}
        self.assertEqual(self.problems(make_case(alone), False),
                         ["a/b/c: expectation 0: no framework agrees, and no 'by_hand' says how the value follows"])
        self.assertEqual(self.problems(make_case(alone | {'by_hand': '3 - 2 = 1'}), False), [])

    def test_a_reason_must_not_outlive_its_cause(self):
        alone = ONE | {'no_framework_agrees': 'they all refuse'}
        self.assertEqual(self.problems(make_case(alone), True),
                         ["a/b/c: expectation 0: mini, mini_too, other agrees, against 'no_framework_agrees'"])

    def test_how_values_relate_needs_no_framework(self):
        self.assertEqual(self.problems(make_case({'observation': 'x', 'same_on_all_replicas': True}), False), [])

    def test_numbers_are_found_wherever_they_stand(self):
        for value in ({'a': [[0.5]]}, [['NaN']], '-Infinity'):
            self.assertTrue(standing.is_numeric({'observation': 'x', 'equals': value}), value)
        self.assertFalse(standing.is_numeric(TEXT))

    def test_cases_and_records_have_to_fit(self):
        record = record_of(make_case(ONE), [True], names=KNOWN)
        def problems(*cases):
            return standing.problems(record, list(cases), KNOWN, Basis())
        self.assertEqual(problems(make_case(TWO)), ['a/b/c: was put to frameworks in another form'])
        self.assertEqual(problems(), ['a/b/c: is recorded, but there is no such case'])
        self.assertEqual(problems(make_case(ONE), make_case(ONE, name='a/b/new')),
                         ['a/b/new: no framework has been asked'])

    def test_reason_and_derivation_are_no_part_of_a_case_s_form(self):
        told = ONE | {'no_framework_agrees': 'they all refuse', 'by_hand': '3 - 2 = 1', 'level': 'observed'}
        self.assertEqual(agreements.fingerprint(make_case(ONE)), agreements.fingerprint(make_case(told)))

    def test_an_agreement_falls_when_what_it_rests_on_changes(self):
        case = make_case(ONE)
        record = record_of(case, [True], names=['mini', 'mini_too', 'other'])
        merge(record, 'mini', make_result(case, [True]), 'yesterday')
        self.assertEqual(standing.to_ask(record, case, KNOWN, Basis()), ['mini'])
        self.assertEqual(standing.problems(record, [case], KNOWN, Basis()), [
            'a/b/c: has to be put to mini: its testee, its packages or the words on a step are others now'])

    def test_a_framework_that_was_never_asked_has_to_be(self):
        case = make_case(ONE)
        self.assertEqual(standing.to_ask(record_of(case, [True]), case, KNOWN, Basis()), ['mini_too', 'other'])

    def test_an_edit_by_hand_is_noticed_and_forgotten(self):
        case = make_case(ONE)
        record = record_of(case, [False], names=KNOWN)
        record['cases']['a/b/c']['agree'] = [['other']]
        self.assertEqual(standing.problems(record, [case], KNOWN, Basis()),
                         ['a/b/c: its record is not as it was made'])
        standing.forget_spoiled(record, [case], KNOWN)
        self.assertEqual(record['cases'], {})

    def test_those_that_stand_on_each_other_count_once(self):
        self.assertEqual(frameworks.families(['mini', 'mini_too'], KNOWN), ['one'])
        case = make_case(ONE)
        self.assertEqual(standing.count(record_of(case, [True], names=['mini', 'mini_too']), [case], KNOWN),
                         '1 values and errors: 0 confirmed by several families, by one alone 1 by one, by none 0')
        self.assertEqual(standing.count(record_of(case, [True], names=['mini', 'other']), [case], KNOWN),
                         '1 values and errors: 1 confirmed by several families, by one alone none, by none 0')


class BasisTest(source_tree.PlantedTree):
    def setUp(self):
        super().setUp()
        self.plant('third_party/frameworks/requirements.txt', '# pinned\npack==1\nbundle==1\n')
        self.plant('conformance/operations.md', '# All\n\n### `data.x`\nGives x.\n\n### `data.y`\nGives y.\n')
        self.write_module('testee', 'from conformance.testees.mini import plain, x_steps, y_steps\n')
        self.write_module('plain', '')
        self.write_module('x_steps', 'import conformance.testees.mini.shared_steps\nNAMES = ["data." + n for n in ["x"]]\n')
        self.write_module('y_steps', 'NAMES = "data.y"\n')
        self.write_module('shared_steps', '')

    def write_module(self, module, text):
        self.plant('conformance/testees/mini/%s.py' % module, text)

    def fingerprint(self):
        return basis.Basis(self.root).fingerprint(KNOWN['mini'], make_case(ONE))

    def test_rests_on_the_program_and_the_files_that_name_its_steps(self):
        files = basis.Basis(self.root).files(KNOWN['mini'], {'data.x'})
        self.assertEqual([os.path.basename(path) for path in files],
                         ['plain.py', 'shared_steps.py', 'testee.py', 'x_steps.py'])

    def test_steps_of_blocks_count(self):
        self.assertEqual(case_files.steps_of([{'step': 'a.b', 'program': [{'step': 'c.d'}]}]), {'a.b', 'c.d'})

    def test_changes_with_what_it_rests_on(self):
        changes = [lambda: self.plant('third_party/frameworks/requirements.txt', 'pack==2\n'),
                   lambda: self.plant('conformance/operations.md', '### `data.x`\nGives two of x.\n'),
                   lambda: self.write_module('plain', 'A = 1\n'),
                   lambda: self.write_module('x_steps', 'NAMES = ["x"]\n')]
        for change in changes:
            before = self.fingerprint()
            change()
            self.assertNotEqual(self.fingerprint(), before)

    def test_stays_when_another_step_changes(self):
        before = self.fingerprint()
        self.plant('third_party/frameworks/requirements.txt', 'pack==1\nbundle==2\n')
        self.plant('conformance/operations.md', '# Everything\n\n### `data.x`\nGives\nx.\n\n### `data.y`\nGives 2.\n')
        self.write_module('y_steps', 'NAMES = ["data.y"]\n')
        self.assertEqual(self.fingerprint(), before)


class RecorderTest(source_tree.PlantedTree):
    """Results that are there already, in a tree with one framework and one case."""

    def setUp(self):
        super().setUp()
        self.plant('third_party/frameworks/requirements.txt', 'pack==1\n')
        self.plant('conformance/operations.md', '### `data.x`\nGives x.\n')
        self.plant('conformance/testees/mini/testee.py', '')
        self.plant(frameworks.TABLE, json.dumps({'testees': [{'name': 'reference', 'command': ['pipe']}, {
            'name': 'mini', 'command': ['{python}', 'conformance/testees/mini/testee.py'], 'family': 'one',
            'packages': ['pack']}]}))
        self.plant('conformance/cases/a/b.json', json.dumps({'topic': 'All', 'cases': [make_case(ONE)]}))
        os.makedirs(os.path.join(self.root, 'conformance/oracles'))

    def take(self, name='mini', started='2999-01-01T00:00:00Z'):
        result = make_result(make_case(ONE), [True])
        result |= {'testee': {'name': name, 'implementation': 'Mini 1'}, 'started': started}
        self.plant('result.json', json.dumps(result))
        recorder = record_tool.Recorder(self.root)
        recorder.take(os.path.join(self.root, 'result.json'))
        recorder.write()
        return recorder

    def test_records_a_result(self):
        self.assertEqual(self.take().problems(), [])
        written = agreements.load(os.path.join(self.root, record_tool.PLACE))
        self.assertEqual(written['cases']['a/b/c']['agree'], [['mini']])

    def test_a_result_from_before_the_testee_changed_counts_for_nothing(self):
        with self.assertRaisesRegex(agreements.AgreementError, 'mini, its packages .* changed after'):
            self.take(started='2001-01-01T00:00:00Z')

    def test_the_reference_is_no_oracle(self):
        with self.assertRaisesRegex(agreements.AgreementError, 'reference is no oracle, mini are'):
            self.take(name='reference')


class PutCasesTest(unittest.TestCase):
    def test_writes_the_wanted_cases_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            document = {'topic': 'All', 'cases': [make_case(ONE), make_case(ONE, name='a/b/d')]}
            place = os.path.join(folder, 'a', 'b.json')
            put_cases.write_some(place, document, {'x/y/z'})
            self.assertFalse(os.path.exists(place))
            put_cases.write_some(place, document, {'a/b/d'})
            with open(place, encoding='utf-8') as stream:
                self.assertEqual([case['id'] for case in json.load(stream)['cases']], ['a/b/d'])


class JudgeTest(unittest.TestCase):
    def test_tells_how_far_it_is(self):
        with contextlib.redirect_stderr(io.StringIO()) as told:
            said = judge.follow(['a/b/c: passed\n', 'a warning\n', 'a/b/d: failed\n'], {'a/b/c', 'a/b/d'}, 'mini')
        self.assertEqual(len(said), 3)
        self.assertIn('mini: 2 of 2 cases', told.getvalue())


class FileTest(unittest.TestCase):
    def test_is_read_as_it_was_written(self):
        record = record_of(make_case(ONE, TWO), [True, False])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'agreements.json')
            with open(path, 'w', encoding='utf-8') as stream:
                stream.write(agreements.dump(record))
            self.assertEqual(agreements.load(path), record)

    def test_another_format_is_refused(self):
        for text in ('{"format": 1}', '{', '[]', '[' * 100_000):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, 'agreements.json')
                with open(path, 'w', encoding='utf-8') as stream:
                    stream.write(text)
                with self.assertRaisesRegex(agreements.AgreementError, 'agreements.json'):
                    agreements.load(path)
                with self.assertRaisesRegex(agreements.AgreementError, 'agreements.json is no result'):
                    record_tool.read_result(path)


class OraclesTest(unittest.TestCase):
    """The record as it stands."""
    maxDiff = None

    def test_keras_stands_on_tensorflow(self):
        known = frameworks.load('.')
        self.assertEqual(frameworks.families(known, known), ['jax', 'pytorch', 'tensorflow'])
        self.assertEqual(known['keras'].family, known['tensorflow'].family)

    def test_every_value_has_a_second_oracle(self):
        found = standing.problems(agreements.load('conformance/oracles/agreements.json'),
                                  list(case_files.all_cases('.')), frameworks.load('.'), basis.Basis('.'))
        self.assertEqual('\n'.join(found), '', 'run //conformance/oracles:record')


if __name__ == '__main__':
    xml_unittest.main()
