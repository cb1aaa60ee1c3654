"""Batches that do not divide, and the cases of the tree."""
import os
import unittest

from tools import source_tree
from tools import xml_unittest
from tools.check_cases import case_format
from tools.check_cases import check_divisions

NUMBERS = {'let': 'numbers', 'step': 'dataset.range', 'stop': 8}
BATCHES = {'let': 'batches', 'step': 'dataset.batch', 'of': 'numbers', 'size': 4}
INPUTS = {'let': 'inputs', 'step': 'strategy.distribute_dataset', 'of': 'batches'}
OBSERVED = {'observe': 'sizes', 'step': 'input.batch_sizes', 'of': 'inputs'}
ANYWAY = 'input/a/b: %s is judged whatever is declared of %s'
OF_FULL, OF_END = (ANYWAY % ('sizes', convention) for convention in ('indivisible_batch', 'end_of_data'))


class CheckDivisionsTest(source_tree.PlantedTree):

    def setUp(self):
        super().setUp()
        self.expectation = {'observation': 'sizes', 'equals': [2]}

    def problems(self, *program, replicas=2, **case):
        case = {'id': 'input/a/b', 'level': 'required', 'given': {'strategy': 'mirrored', 'replicas': replicas},
                'program': program, 'expect': [self.expectation], **case}
        self.plant('conformance/cases/input/a.json', case_format.dump({'cases': [case]}))
        return check_divisions.check(self.root)

    def problems_of(self, stop, size, replicas, **batch):
        return self.problems(dict(NUMBERS, stop=stop), dict(BATCHES, size=size, **batch), INPUTS, OBSERVED,
                             replicas=replicas)

    def test_what_divides_is_for_everybody(self):
        self.assertEqual(self.problems_of(8, 4, 2), [])

    def test_a_full_batch(self):
        self.assertEqual(self.problems_of(8, 4, 3), [OF_FULL])

    def test_a_size_that_is_a_parameter(self):
        self.expectation['level'] = 'required'
        batches = dict(BATCHES, size={'parameter': 'batch'})
        for size, problems in ((4, []), (3, [OF_END, OF_FULL])):
            given = {'strategy': 'mirrored', 'replicas': 2, 'parameters': {'batch': size}}
            self.assertEqual(self.problems(NUMBERS, batches, INPUTS, OBSERVED, given=given), problems)

    def test_any_of_the_numbers_of_replicas(self):
        self.assertEqual(self.problems_of(8, 4, [1, 2, 4]), [])
        self.assertEqual(self.problems_of(8, 4, [1, 2, 3]), [OF_FULL])

    def test_a_smaller_batch_may_be_filled_even_where_it_divides(self):
        self.assertEqual(self.problems_of(9, 4, 2), [OF_END])
        self.assertEqual(self.problems_of(10, 4, 2), [OF_END])
        self.assertEqual(self.problems_of(10, 4, 1), [])

    def test_a_smaller_batch_that_is_dropped_before(self):
        self.assertEqual(self.problems_of(9, 4, 2, drop_remainder=True), [])

    def test_all_conventions_are_asked_for(self):
        self.expectation['when'] = {'indivisible_batch': 'split'}
        self.assertEqual(self.problems_of(9, 4, 3), [OF_END])
        self.expectation['when']['end_of_data'] = 'split'
        self.assertEqual(self.problems_of(9, 4, 3), [])

    def test_an_error_comes_from_one_of_them(self):
        self.expectation = {'error': 'InvalidArgument', 'at_step': 'input.batch_sizes'}
        error = ANYWAY % ('the error', '%s')
        self.assertEqual(self.problems_of(9, 4, 3), [error % 'end_of_data', error % 'indivisible_batch'])
        self.expectation['when'] = {'indivisible_batch': 'error'}
        self.assertEqual(self.problems_of(9, 4, 3), [])

    def test_what_is_not_judged(self):
        self.expectation['level'] = 'observed'
        self.assertEqual(self.problems_of(8, 4, 3), [])

    def test_what_was_observed_before(self):
        self.assertEqual(self.problems(NUMBERS, BATCHES, {'observe': 'sizes', 'step': 'strategy.context'},
                                       INPUTS, replicas=3), [])

    def test_an_end_that_is_not_reached(self):
        iterator = {'let': 'iterator', 'step': 'input.iterator', 'of': 'inputs'}
        after = {'observe': 'sizes', 'step': 'strategy.context'}
        begin = (dict(NUMBERS, stop=9), BATCHES, INPUTS, iterator)

        def read(times):
            return {'step': 'program.repeat', 'times': times, 'program': [{'step': 'input.next', 'of': 'iterator'}]}
        self.assertEqual(self.problems(*begin, read(2), after), [])
        self.assertEqual(self.problems(*begin, read(3), after), [OF_END])

    def test_a_block_that_reads(self):
        inside = {'step': 'input.for_each', 'of': 'inputs', 'as': 'batch', 'program': [
            {'observe': 'sizes', 'step': 'value.shape', 'of': 'batch'}]}
        self.assertEqual(self.problems(dict(NUMBERS, stop=9), BATCHES, INPUTS, inside), [OF_END])

    def test_a_counter_is_a_size(self):
        rounds = {'step': 'program.repeat', 'times': 5, 'as': 'stop', 'program': [
            dict(NUMBERS, stop='stop'), BATCHES, INPUTS, OBSERVED]}
        self.assertEqual(self.problems(rounds), [OF_END])
        self.assertEqual(self.problems(dict(rounds, times=1)), [])

    def test_rows_of_literals(self):
        rows = {'let': 'batches', 'step': 'dataset.from_tensors', 'value': {'x': [1, 2, 3], 'y': [1, 2, 3]}}
        self.assertEqual(self.problems(rows, INPUTS, OBSERVED, replicas=3), [])
        self.assertEqual(self.problems(rows, INPUTS, OBSERVED), [OF_FULL])
        batches = dict(rows, step='dataset.from_tensor_slices', value=[[[1]], [[2], [3]]])
        self.assertEqual(self.problems(batches, INPUTS, OBSERVED), [OF_FULL])

    def test_other_steps_of_datasets(self):
        for step, expected in (({'step': 'dataset.repeat', 'count': 2}, []),
                               ({'step': 'dataset.repeat'}, []),
                               ({'step': 'dataset.take', 'count': 5}, [OF_END]),
                               ({'step': 'dataset.skip', 'count': 3}, [OF_END]),
                               ({'step': 'dataset.skip', 'count': 4}, []),
                               ({'step': 'dataset.concatenate', 'other': 'numbers'}, []),
                               ({'step': 'dataset.shard', 'num_shards': 2, 'index': 0}, []),
                               ({'step': 'dataset.shard', 'num_shards': 3, 'index': 0}, [OF_END]),
                               ({'step': 'dataset.shuffle', 'buffer_size': 9, 'seed': 1}, [])):
            changed = {'let': 'numbers', 'of': 'numbers', **step}
            self.assertEqual(self.problems(NUMBERS, changed, BATCHES, INPUTS, OBSERVED), expected, step)
        both = {'let': 'batches', 'step': 'dataset.concatenate', 'of': 'batches', 'other': 'short'}
        self.assertEqual(self.problems(NUMBERS, BATCHES, dict(BATCHES, let='short', size=3), both, INPUTS, OBSERVED),
                         [OF_END, OF_FULL])
        rows = {'let': 'numbers', 'step': 'dataset.unbatch', 'of': 'odd'}
        self.assertEqual(self.problems(NUMBERS, dict(BATCHES, let='odd', size=5), rows, BATCHES, INPUTS, OBSERVED), [])
        zipped = {'let': 'numbers', 'step': 'dataset.zip', 'of': ['numbers', 'fewer']}
        self.assertEqual(self.problems(NUMBERS, dict(NUMBERS, let='fewer', stop=5), zipped, BATCHES, INPUTS, OBSERVED),
                         [OF_END])

    def test_files_have_as_many_rows_as_records(self):
        lines = {'step': 'file.write_text', 'file': 'a.txt', 'text': 'one\ntwo\nthree\n'}
        records = {'step': 'file.write_tf_records', 'file': 'b', 'records': ['one', 'two', 'three']}
        bytes_ = {'step': 'file.write_text', 'file': 'c', 'text': 'headaabbccend'}
        names = {'let': 'names', 'step': 'dataset.list_files', 'patterns': ['*.txt']}
        of_one = {'let': 'of_one', 'step': 'dataset.text_lines', 'named': 'name'}
        sources = [{'step': 'dataset.text_lines', 'files': ['a.txt']},
                   {'step': 'dataset.tf_records', 'files': ['b']},
                   {'step': 'dataset.fixed_length_records', 'files': ['c'], 'record_bytes': 2, 'header_bytes': 4,
                    'footer_bytes': 3},
                   {'step': 'dataset.interleave', 'of': 'names', 'as': 'name', 'program': [of_one],
                    'return': 'of_one', 'cycle_length': 1}]
        for source in sources:
            def problems(number):
                return self.problems(lines, records, bytes_, names, dict(source, let='numbers'),
                                     dict(BATCHES, size=number), INPUTS, OBSERVED, replicas=number)
            with self.subTest(source['step']):
                self.assertEqual(problems(3), [])
                self.assertEqual(problems(2), [OF_END])


class CasesTest(unittest.TestCase):
    maxDiff = None

    def test_no_case_takes_a_remainder_for_granted(self):
        self.assertEqual('\n'.join(check_divisions.check(os.getcwd())), '')


if __name__ == '__main__':
    xml_unittest.main()
