"""Runs xml_unittest on small programs and reads the report that it wrote."""
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from tools import xml_unittest

ONE_OF_EACH = '''
import unittest
from tools import xml_unittest
class Sample(unittest.TestCase):
    def test_passes(self): pass
    def test_fails(self): self.assertEqual(1, 2)
    def test_dies(self): raise OSError('gone')
    def test_fails_in_part(self):
        with self.subTest(part=1): self.fail('part')
    @unittest.skip('no device')
    def test_skips(self): pass
xml_unittest.main()
'''
NONE = 'from tools import xml_unittest\nxml_unittest.main()\n'
GOOD = ('import unittest\nfrom tools import xml_unittest\nclass Sample(unittest.TestCase):\n'
        '    def test_passes(self): pass\nxml_unittest.main()\n')


def run(program):
    """(exit status, {case: outcome}) of the program."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, 'report.xml')
        root = os.path.dirname(os.path.dirname(os.path.abspath(xml_unittest.__file__)))
        environment = dict(os.environ, XML_OUTPUT_FILE=report, PYTHONPATH=root)
        status = subprocess.run([sys.executable, '-c', program], env=environment, check=False,
                                stderr=subprocess.DEVNULL).returncode
        cases = ElementTree.parse(report).getroot().iter('testcase')
        return status, {case.get('name'): [child.tag for child in case] for case in cases}


class XmlUnittestTest(unittest.TestCase):

    def test_reports_every_outcome(self):
        self.assertEqual(run(ONE_OF_EACH), (1, {
            'test_passes': [],
            'test_fails': ['failure'],
            'test_dies': ['error'],
            'test_fails_in_part': ['failure'],
            'test_skips': ['skipped'],
        }))

    def test_exits_with_0_when_all_pass(self):
        self.assertEqual(run(GOOD), (0, {'test_passes': []}))

    def test_a_program_without_cases_fails(self):
        self.assertEqual(run(NONE), (1, {}))


if __name__ == '__main__':
    xml_unittest.main()
