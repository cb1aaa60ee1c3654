"""Whether the tests that README.md names for each pitfall are there."""
import ast
import os
import re
import unittest

from tools import xml_unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROW = re.compile(r'\| (\d+) \| ([^|]+) \| ([^|]+) \|')
NAME = re.compile(r'`(\w+)\.(\w+)`')
PITFALLS = 17


def rows():
    """(number, pitfall, [(file's stem, function)]) of the table."""
    with open(os.path.join(FOLDER, 'README.md'), encoding='utf-8') as file:
        found = [ROW.fullmatch(line.strip()) for line in file]
    return [(int(row.group(1)), row.group(2), NAME.findall(row.group(3))) for row in found if row]


def functions():
    """(file's stem, function) of all Python files here and below."""
    found = set()
    for folder, _, names in os.walk(FOLDER):
        for name in names:
            if name.endswith(('_test.py', '_testing.py')):
                with open(os.path.join(folder, name), encoding='utf-8') as file:
                    nodes = ast.walk(ast.parse(file.read()))
                found |= {(name[:-3], node.name) for node in nodes if isinstance(node, ast.FunctionDef)}
    return found


class PitfallsTest(unittest.TestCase):
    def test_every_pitfall_has_tests(self):
        self.assertEqual([number for number, _, _ in rows()], list(range(1, PITFALLS + 1)))
        for number, pitfall, tests in rows():
            self.assertTrue(tests, f'{number} {pitfall}')

    def test_the_tests_are_there(self):
        named = [test for _, _, tests in rows() for test in tests]
        there = functions()
        self.assertEqual([test for test in named if test not in there], [])


if __name__ == '__main__':
    xml_unittest.main()
