"""Every rule of the conventions' linter refuses what breaks it, and right ones pass."""
import copy

from tools import source_tree
from tools import xml_unittest
from tools.check_cases import case_format
from tools.check_cases import check_conventions

CONVENTIONS = {'conventions': [{
    'id': 'remainder', 'question': 'What of the rest?',
    'values': [{'id': 'split', 'means': 'It is split.'}, {'id': 'pad', 'means': 'It is filled up.'}],
    'porting': [{'from': 'split', 'to': 'pad', 'note': 'Count anew.'},
                {'from': 'pad', 'to': 'split', 'note': 'Count again.'}]}]}


class CheckConventionsTest(source_tree.PlantedTree):
    """Plants a conventions.json, spoils one thing, and reads what is said of it."""

    def setUp(self):
        super().setUp()
        with open(check_conventions.SCHEMA, encoding='utf-8') as stream:
            self.plant(check_conventions.SCHEMA, stream.read())
        self.document = copy.deepcopy(CONVENTIONS)
        self.remainder = self.document['conventions'][0]

    def assert_problems(self, *words):
        self.plant(check_conventions.PATH, case_format.dump(self.document))
        problems = check_conventions.check(self.root)
        self.assertEqual(len(problems), len(words), problems)
        for problem, word in zip(problems, words):
            self.assertIn(word, problem)

    def test_right_conventions_pass(self):
        self.assert_problems()
        self.assertEqual(check_conventions.load_values(self.root), {'remainder': ['split', 'pad']})

    def test_schema_names_the_place(self):
        self.remainder['question'] = 'The rest.'
        self.assert_problems('at ["conventions"][0]["question"]')

    def test_convention_twice(self):
        self.document['conventions'].append(self.remainder)
        self.assert_problems('remainder: stands here twice')

    def test_value_twice(self):
        self.remainder['values'].append({'id': 'pad', 'means': 'It is padded.'})
        self.assert_problems('a value stands here twice')

    def test_note_twice(self):
        self.remainder['porting'].append(self.remainder['porting'][0])
        self.assert_problems('a note for porting stands here twice')

    def test_note_between_what_are_no_values(self):
        for source, target in (('split', 'eat'), ('pad', 'pad')):
            self.remainder['porting'][2:] = [{'from': source, 'to': target, 'note': 'Do not.'}]
            self.assert_problems('from %s to %s, which are not two of its values' % (source, target))

    def test_missing_note(self):
        del self.remainder['porting'][1]
        self.assert_problems('no note for porting from pad to split')

    def test_written_otherwise(self):
        self.plant(check_conventions.PATH, case_format.dump(self.document) + '\n')
        self.assertIn('not written as the tool writes it', check_conventions.check(self.root)[0])

    def test_malformed(self):
        self.plant(check_conventions.PATH, '{"conventions": ')
        self.assertIn('Expecting value', check_conventions.check(self.root)[0])


if __name__ == '__main__':
    xml_unittest.main()
