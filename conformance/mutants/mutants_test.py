"""Every mutant's file is right: it still applies to the source, and the cases it names exist."""
import json
import os
import unittest

import jsonschema

from conformance.mutants import mutant
from tools import source_tree
from tools import xml_unittest
from tools.check_cases import case_format
from tools.check_cases import check_cases

FEWEST = 40


class MutantsTest(unittest.TestCase):
    """Reads the workspace itself: a mutant may change any file of the reference."""

    @classmethod
    def setUpClass(cls):
        cls.root = source_tree.find_root()
        cls.mutants = mutant.load_all(cls.root)

    def read(self, path):
        with open(os.path.join(self.root, path), encoding='utf-8') as stream:
            return stream.read()

    def test_there_are_enough(self):
        self.assertGreaterEqual(len(self.mutants), FEWEST)

    def test_files_follow_their_schema_and_form(self):
        schema = json.loads(self.read('conformance/schemas/mutant.schema.json'))
        for planted in self.mutants:
            with self.subTest(planted.name):
                text = self.read('%s/%s.json' % (mutant.FOLDER, planted.name))
                jsonschema.validate(json.loads(text), schema, cls=jsonschema.Draft7Validator)
                self.assertEqual(text, case_format.dump(case_format.load(text)))

    def test_each_applies_to_the_source_once(self):
        for planted in self.mutants:
            with self.subTest(planted.name):
                text = self.read(planted.file)
                self.assertNotEqual(planted.apply(text), text)

    def test_the_cases_they_name_exist(self):
        ids = {case['id'] for path in check_cases.case_files(self.root)
               for case in case_format.load(self.read(path))['cases']}
        for planted in self.mutants:
            with self.subTest(planted.name):
                self.assertEqual([case for case in planted.killed_by if case not in ids], [])

    def test_no_two_are_the_same(self):
        self.assertEqual(len({(m.file, m.find, m.replace) for m in self.mutants}), len(self.mutants))
        self.assertEqual(len({m.states for m in self.mutants}), len(self.mutants))


if __name__ == '__main__':
    xml_unittest.main()
