"""The project's own cases pass the linter: one test, every problem in its message."""
import os
import unittest

from tools import xml_unittest
from tools.check_cases import check_cases


class CasesTest(unittest.TestCase):
    maxDiff = None

    def test_no_case_is_refused(self):
        self.assertEqual('\n'.join(check_cases.check(os.getcwd())), '')


if __name__ == '__main__':
    xml_unittest.main()
