"""The tree is formatted; planted code that is not is seen, and mended by --fix."""
import os
from unittest import mock

from tools import check_format
from tools import source_tree
from tools import xml_unittest


class CheckFormatTest(source_tree.PlantedTree):

    def setUp(self):
        super().setUp()
        self.plant('.clang-format', 'BasedOnStyle: Google\n')

    def test_the_tree_is_formatted(self):
        self.assertEqual(check_format.check(source_tree.find_root()), [])

    def test_unformatted_code_is_refused_and_mended(self):
        self.plant('good.h', 'int f();\n')
        self.plant('reference/bad.cc', 'int  f( ) ;\n')
        problems = check_format.check(self.root)
        self.assertEqual(len(problems), 1)
        self.assertIn('reference/bad.cc:1:4: error: code should be clang-formatted', problems[0])
        self.assertNotIn('good.h', problems[0])
        self.assertEqual(check_format.fix(self.root), [])
        self.assertEqual(check_format.check(self.root), [])
        self.assertEqual(source_tree.read_lines(self.root, 'reference/bad.cc'), ['int f();', ''])

    def test_a_missing_program_is_a_clear_failure(self):
        self.plant('good.h', 'int f();\n')
        with mock.patch.dict(os.environ, PATH='/nonexistent'):
            self.assertEqual(check_format.check(self.root),
                             ['clang-format-14 is missing: apt-get install clang-format-14'])


if __name__ == '__main__':
    xml_unittest.main()
