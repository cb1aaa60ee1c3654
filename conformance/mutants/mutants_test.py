"""Every mutant's file is right: it still applies to the source, and the cases it names exist."""

import json
import os
import pathlib
import unittest

import jsonschema

from conformance.mutants import mutant
from tools import source_tree, xml_unittest
from tools.check_cases import case_files, case_format


def topic_of(case):
    return case.rsplit("/", 1)[0]


class MutantsTest(unittest.TestCase):
    """Reads the workspace itself: a mutant may change any file of the reference."""

    @classmethod
    def setUpClass(cls):
        cls.root = source_tree.find_root()
        cls.mutants = mutant.load_all(cls.root)
        cls.levels = {case["id"]: case["level"] for case in case_files.all_cases(cls.root)}

    @classmethod
    def read(cls, path):
        with open(os.path.join(cls.root, path), encoding="utf-8") as stream:
            return stream.read()

    def is_required(self, case):
        return self.levels.get(case) == "required"

    def test_files_follow_their_schema_and_form(self):
        schema = json.loads(self.read("conformance/schemas/mutant.schema.json"))
        paths = {path.stem: path for path in pathlib.Path(self.root, mutant.FOLDER).rglob("*.json")}
        for planted in self.mutants:
            with self.subTest(planted.name):
                text = self.read(str(paths[planted.name]))
                jsonschema.validate(json.loads(text), schema, cls=jsonschema.Draft7Validator)
                self.assertEqual(text, case_format.dump(case_format.load(text)))

    def test_each_applies_to_the_source_once(self):
        for planted in self.mutants:
            with self.subTest(planted.name):
                text = self.read(planted.file)
                self.assertNotEqual(planted.apply(text), text)

    def test_the_cases_they_name_exist(self):
        for planted in self.mutants:
            with self.subTest(planted.name):
                self.assertEqual([case for case in planted.killed_by if case not in self.levels], [])

    def test_each_is_noticed_by_a_required_case_or_says_why_not(self):
        for planted in self.mutants:
            with self.subTest(planted.name):
                self.assertNotEqual(bool(planted.beyond), any(map(self.is_required, planted.killed_by)))

    def test_every_topic_has_one(self):
        """Where the documents require something of a topic, one of its required cases notices a bug."""
        topics = {topic_of(case) for case in self.levels}
        required = {topic_of(case) for case in self.levels if self.is_required(case)}
        named = [case for planted in self.mutants for case in planted.killed_by]
        self.assertEqual(topics - set(map(topic_of, named)), set())
        self.assertEqual(required - {topic_of(case) for case in named if self.is_required(case)}, set())

    def test_no_two_are_the_same(self):
        self.assertEqual(len({(m.file, m.find, m.replace) for m in self.mutants}), len(self.mutants))
        self.assertEqual(len({m.states for m in self.mutants}), len(self.mutants))


if __name__ == "__main__":
    xml_unittest.main()
