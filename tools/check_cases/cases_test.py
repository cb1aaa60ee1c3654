"""The project's own cases and the lists beside them pass the linters, with every problem in the message."""
import os
import unittest

from tools import xml_unittest
from tools.check_cases import check_cases
from tools.check_cases import check_conventions
from tools.check_cases import check_deviations


class CasesTest(unittest.TestCase):
    maxDiff = None

    def test_no_case_is_refused(self):
        self.assertEqual('\n'.join(check_cases.check(os.getcwd())), '')

    def test_no_convention_is_refused(self):
        self.assertEqual('\n'.join(check_conventions.check(os.getcwd())), '')

    def test_no_deviation_and_no_testee_is_refused(self):
        self.assertEqual('\n'.join(check_deviations.check(os.getcwd())), '')


if __name__ == '__main__':
    xml_unittest.main()
