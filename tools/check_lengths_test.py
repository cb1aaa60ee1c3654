"""The tree's files and functions are short; planted long ones are seen."""
from tools import check_lengths
from tools import source_tree
from tools import xml_unittest


class CheckLengthsTest(source_tree.PlantedTree):

    def problems(self, path, text):
        self.plant(path, text)
        return check_lengths.check(self.root)

    def test_the_tree_is_clean(self):
        self.assertEqual(check_lengths.check(source_tree.find_root()), [])

    def test_headers_have_at_most_250_lines(self):
        self.assertEqual(self.problems('a.h', '\n' * 250), [])
        self.assertEqual(self.problems('a.h', '\n' * 251),
                         ['a.h: 251 lines, at most 250: split it by what it holds'])

    def test_tests_have_at_most_500_lines(self):
        self.assertEqual(self.problems('a_test.cc', '\n' * 500), [])
        self.assertEqual(self.problems('a_test.cc', '\n' * 501),
                         ['a_test.cc: 501 lines, at most 500: split it by what it holds'])

    def test_other_code_has_at_most_400_lines(self):
        self.assertEqual(self.problems('a.cc', '\n' * 400) + self.problems('b.py', '\n' * 400), [])
        self.assertEqual(len(self.problems('a.cc', '\n' * 401)), 1)
        self.assertEqual(len(self.problems('b.py', '\n' * 401)), 2)

    def test_folders_have_at_most_25_sources(self):
        for number in range(25):
            self.plant('a/b/%d.cc' % number)
        self.plant('a/b/a_test.cc')
        self.plant('a/b/BUILD')
        self.assertEqual(check_lengths.check(self.root), [])
        self.assertEqual(self.problems('a/b/page.html', ''),
                         ['a/b: 26 sources, at most 25: divide it by what they do'])

    def test_functions_have_at_most_60_lines(self):
        self.assertEqual(self.problems('a.cc', 'namespace n {\nint f() {\n%s}\n}\n' % ('  g();\n' * 60)), [])
        self.assertEqual(self.problems('a.cc', 'int e() {\n}\nTEST(F, G) {\n%s}\n' % ('  g();\n' * 61)),
                         ['a.cc:3: a function of 61 lines, at most 60'])

    def test_python_functions_have_at_most_60_lines(self):
        self.assertEqual(self.problems('a.py', 'def f():\n' + '    g()\n' * 60), [])
        self.assertEqual(self.problems('a.py', 'class A:\n  def f():\n' + '    g()\n' * 61),
                         ['a.py:2: a function of 61 lines, at most 60'])

    def test_classes_and_namespaces_may_be_longer(self):
        for head in ['class A {', 'namespace lockstep {', 'inline namespace v1 {', 'enum class B {']:
            self.assertEqual(self.problems('a.cc', '%s\n%s}\n' % (head, 'x,\n' * 100)), [])


if __name__ == '__main__':
    xml_unittest.main()
