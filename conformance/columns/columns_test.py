"""Results become columns, and a matrix beside them."""
import json
import os
import tempfile
import unittest

from conformance.columns import column
from conformance.columns import columns
from conformance.oracles import agreements
from tools import xml_unittest


def result_of(*cases):
    return {'testee': {'name': 'mini', 'implementation': 'Mini 1'}, 'started': '2026-11-24T10:00:00Z',
            'duration_s': 12.6,
            'cases': [dict(zip(('id', 'level', 'verdict'), case)) for case in cases]}


class ColumnTest(unittest.TestCase):
    def test_says_who_where_when_and_how_long(self):
        found = column.of_result(result_of(('a/b/c', 'required', 'passed')), '2 x Mill')
        self.assertEqual([found[key] for key in ('testee', 'implementation', 'machine', 'day', 'seconds')],
                         ['mini', 'Mini 1', '2 x Mill', '2026-11-24', 13])

    def test_cases_stand_by_their_verdicts_in_order(self):
        found = column.of_result(result_of(('a/b/d', 'required', 'passed'), ('a/b/c', 'observed', 'passed'),
                                           ('a/b/e', 'required', 'failed')), '')
        self.assertEqual(found['verdicts'], {'failed': ['a/b/e'], 'passed': ['a/b/c', 'a/b/d']})

    def test_what_is_unsupported_is_not_answered(self):
        found = column.of_result(result_of(('a/b/c', 'required', 'unsupported'), ('a/b/d', 'required', 'errored')), '')
        self.assertEqual(found['answered'], {'required': [1, 2]})

    def test_is_written_with_an_id_a_line(self):
        found = column.of_result(result_of(('a/b/c', 'required', 'passed')), '')
        self.assertIn('\n   "a/b/c"\n', column.dump(found))
        self.assertEqual(json.loads(column.dump(found)), found)


class ColumnsTest(unittest.TestCase):
    def test_machine_has_its_cores(self):
        self.assertRegex(columns.machine(), r'^\d+ x \S')

    def test_the_reference_stands_first(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ('jax.json', 'reference.json', 'zebra.json', 'notes.txt'):
                with open(os.path.join(folder, name), 'w', encoding='utf-8') as stream:
                    stream.write('{}')
            names = [os.path.basename(path) for path in columns.result_files(folder)]
        self.assertEqual(names, ['reference.json', 'jax.json', 'zebra.json'])

    def test_a_folder_without_results_is_an_error(self):
        for folder in (tempfile.mkdtemp(), '/nowhere'):
            with self.assertRaises(agreements.AgreementError):
                columns.result_files(folder)

    def test_keeping_what_is_taken_is_refused(self):
        with self.assertRaises(SystemExit) as raised:
            columns.parse_arguments(['--keep=a', '--take=b'])
        self.assertEqual(raised.exception.code, 2)


if __name__ == '__main__':
    xml_unittest.main()
