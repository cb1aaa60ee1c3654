"""Which expected numbers a framework has agreed with, and that each has two oracles."""
import os
import tempfile
import unittest

from conformance.oracles import agreements
from tools import xml_unittest


def make_case(*expect, name='a/b/c'):
    return {'id': name, 'given': {'strategy': 'default'}, 'program': [{'observe': 'x', 'step': 'data.x'}],
            'expect': list(expect)}


def make_result(case, *runs):
    """Each run: whether each expectation held, None where it was not judged."""
    told = [{'findings': [{'expectation': index, 'holds': holds} for index, holds in enumerate(run)
                          if holds is not None]} for run in runs]
    return {'testee': {'implementation': 'Mini 1'}, 'cases': [case | {'runs': told}]}


def record_of(case, *runs, name='mini'):
    record = agreements.load('nowhere.json')
    agreements.merge(record, name, make_result(case, *runs))
    return record


ONE = {'observation': 'x', 'equals': 1}
TWO = {'observation': 'x', 'close': [[2]], 'atol': 1, 'because': 'it rounds'}


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
        record = record_of(case, [True], name='other')
        agreements.merge(record, 'mini', make_result(case, [True]))
        self.assertEqual(record['cases']['a/b/c']['agree'], [['mini', 'other']])
        agreements.merge(record, 'other', make_result(case, [False]))
        self.assertEqual(record['cases']['a/b/c']['agree'], [['mini']])

    def test_what_was_said_of_another_form_is_forgotten(self):
        record = record_of(make_case(ONE), [True], name='other')
        agreements.merge(record, 'mini', make_result(make_case(TWO), [True]))
        self.assertEqual(record['cases']['a/b/c']['agree'], [['mini']])


class ProblemsTest(unittest.TestCase):
    def problems(self, case, *holds):
        return agreements.problems(record_of(case, holds), [case])

    def test_a_number_needs_a_framework_or_a_reason(self):
        self.assertEqual(self.problems(make_case(ONE, TWO), True, True), [])
        self.assertEqual(self.problems(make_case(ONE, TWO), True, False), [
            "a/b/c: expectation 1: no framework agrees, and no 'no_framework_agrees' says why"])
        alone = ONE | {'no_framework_agrees': 'they all refuse'}
        self.assertEqual(self.problems(make_case(alone), False), [])

    def test_a_reason_must_not_outlive_its_cause(self):
        alone = ONE | {'no_framework_agrees': 'they all refuse'}
        self.assertEqual(self.problems(make_case(alone), True),
                         ["a/b/c: expectation 0: mini agrees, against 'no_framework_agrees'"])

    def test_what_names_no_number_needs_none(self):
        for expectation in ({'error': 'NotFound'}, {'observation': 'x', 'equals': ['a', True, None]},
                            {'observation': 'x', 'same_on_all_replicas': True}):
            with self.subTest(expectation):
                self.assertEqual(self.problems(make_case(expectation), False), [])

    def test_numbers_are_found_wherever_they_stand(self):
        for value in ({'a': [[0.5]]}, [['NaN']], '-Infinity'):
            with self.subTest(value):
                self.assertEqual(len(self.problems(make_case({'observation': 'x', 'equals': value}), False)), 1)

    def test_cases_and_records_have_to_fit(self):
        record = record_of(make_case(ONE), [True])
        self.assertEqual(agreements.problems(record, [make_case(TWO)]), ['a/b/c: was put to frameworks in another form'])
        self.assertEqual(agreements.problems(record, []), ['a/b/c: is recorded, but there is no such case'])
        new = make_case(ONE, name='a/b/new')
        self.assertEqual(agreements.problems(record, [make_case(ONE), new]), ['a/b/new: no framework has been asked'])


class FileTest(unittest.TestCase):
    def test_is_read_as_it_was_written(self):
        record = record_of(make_case(ONE, TWO), [True, False])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'agreements.json')
            with open(path, 'w', encoding='utf-8') as stream:
                stream.write(agreements.dump(record))
            self.assertEqual(agreements.load(path), record)

    def test_another_format_is_refused(self):
        for text in ('{"format": 2}', '{'):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, 'agreements.json')
                with open(path, 'w', encoding='utf-8') as stream:
                    stream.write(text)
                with self.assertRaisesRegex(agreements.AgreementError, 'agreements.json'):
                    agreements.load(path)


class OraclesTest(unittest.TestCase):
    maxDiff = None

    def test_every_number_has_a_second_oracle(self):
        found = agreements.problems(agreements.load('conformance/oracles/agreements.json'),
                                    agreements.load_cases('conformance/cases'))
        advice = 'put the cases to the frameworks and run //conformance/oracles:record on the results (--help)'
        self.assertEqual('\n'.join(found), '', advice)


if __name__ == '__main__':
    xml_unittest.main()
