"""Every number that a case expects has a second oracle, or says why not."""
import unittest

from conformance.oracles import agreements
from tools import xml_unittest


class OraclesTest(unittest.TestCase):
    maxDiff = None

    def test_every_number_has_a_second_oracle(self):
        found = agreements.problems(agreements.load('conformance/oracles/agreements.json'),
                                    agreements.load_cases('conformance/cases'))
        advice = 'put the cases to the frameworks and run //conformance/oracles:record on the results (--help)'
        self.assertEqual('\n'.join(found), '', advice)


if __name__ == '__main__':
    xml_unittest.main()
