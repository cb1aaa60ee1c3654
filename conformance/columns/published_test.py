"""The columns that are published: of every framework one, of cases that there are."""
import glob
import json
import os
import unittest

from tools import xml_unittest
from tools.check_cases import case_files

FOLDER = 'conformance/columns'


def load(path):
    with open(path, encoding='utf-8') as stream:
        return json.load(stream)


class PublishedTest(unittest.TestCase):
    def setUp(self):
        self.columns = {os.path.basename(path)[:-len('.json')]: load(path)
                        for path in sorted(glob.glob(FOLDER + '/*.json'))}

    def test_every_framework_has_a_column(self):
        testees = load('conformance/testees.json')['testees']
        wanted = ['reference'] + [testee['name'] for testee in testees if 'family' in testee]
        self.assertEqual(sorted(self.columns), sorted(wanted))

    def test_a_column_is_called_as_its_testee(self):
        for name, column in self.columns.items():
            self.assertEqual(column['testee'], name)

    def test_cases_exist_and_stand_once(self):
        known = {case['id'] for case in case_files.all_cases('.')}
        for name, column in self.columns.items():
            ids = [case_id for ids in column['verdicts'].values() for case_id in ids]
            self.assertEqual(len(ids), len(set(ids)), name)
            self.assertLessEqual(set(ids), known, name)

    def test_the_reference_passes_or_is_told(self):
        self.assertLessEqual(set(self.columns['reference']['verdicts']), {'passed', 'told'})


if __name__ == '__main__':
    xml_unittest.main()
