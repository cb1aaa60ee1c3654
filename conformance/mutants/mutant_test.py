import json
import os
import unittest

from conformance.mutants import apply
from conformance.mutants import mutant
from tools import xml_unittest

FIELDS = {'name': 'lost', 'file': 'reference/a.cc', 'find': 'x + 1', 'replace': 'x', 'states': 'One is lost.',
          'killed_by': ['a/b/c']}


class MutantTest(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.join(os.environ['TEST_TMPDIR'], self.id())
        os.makedirs(os.path.join(self.folder, mutant.FOLDER))

    def write(self, name, text):
        path = os.path.join(self.folder, mutant.FOLDER, name)
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(text)
        return path

    def test_applies(self):
        self.assertEqual(mutant.Mutant(**FIELDS).apply('return x + 1;'), 'return x;')

    def test_wants_its_text_once(self):
        for text, count in (('return x;', 0), ('x + 1, x + 1', 2)):
            with self.assertRaisesRegex(mutant.MutantError, 'lost: wanted .* reference/a.cc, found it %d' % count):
                mutant.Mutant(**FIELDS).apply(text)

    def test_loads_all_by_name(self):
        for name in ('lost', 'found'):
            self.write(name + '.json', json.dumps(FIELDS | {'name': name}))
        self.assertEqual([m.name for m in mutant.load_all(self.folder)], ['found', 'lost'])

    def test_refuses_what_is_no_mutant(self):
        for text in ('{', '{"name": "lost"}', json.dumps(FIELDS | {'because': 'so'})):
            with self.assertRaisesRegex(mutant.MutantError, 'lost.json'):
                mutant.load(self.write('lost.json', text))
        with self.assertRaisesRegex(mutant.MutantError, 'wanted the name of its file, got lost'):
            mutant.load(self.write('found.json', json.dumps(FIELDS)))

    def test_apply_writes_a_copy(self):
        path = self.write('lost.json', json.dumps(FIELDS))
        source, output = self.write('a.cc', 'return x + 1;'), os.path.join(self.folder, 'out.cc')
        apply.main(path, source, output)
        with open(output, encoding='utf-8') as stream:
            self.assertEqual(stream.read(), 'return x;')


if __name__ == '__main__':
    xml_unittest.main()
