import unittest

from reports import expectation_text
from tools import xml_unittest


class ExpectationTextTest(unittest.TestCase):
    def assert_text(self, text, **expectation):
        self.assertEqual(expectation_text.describe(expectation), text)

    def test_equals(self):
        self.assert_text('x equals [1, "NaN"]', observation="x", equals=[1, "NaN"])

    def test_close_with_its_tolerance(self):
        self.assert_text("x is close to 0.5 (rtol 1e-06, atol 0.25)", observation="x",
                         close=0.5, rtol=1e-6, atol=0.25)

    def test_error(self):
        self.assert_text("the program ends with the error OutOfRange",
                         error="OutOfRange")
        self.assert_text("the program ends with the error OutOfRange in input.next",
                         error="OutOfRange", at_step="input.next")

    def test_same_on_all_replicas(self):
        self.assert_text("x is the same on all replicas", observation="x",
                         same_on_all_replicas=True)
        self.assert_text("x is the same on all replicas, in each round",
                         observation="x", same_on_all_replicas="in_each_round")

    def test_numbers(self):
        self.assert_text("x is a multiple of 3", observation="x", multiple_of=3)
        self.assert_text("x holds [1, 2] in any order and grouping", observation="x",
                         same_multiset=[1, 2])

    def test_same_as(self):
        self.assert_text("x is the same as y", observation="x",
                         same_as={"observation": "y"})
        self.assert_text('x is the same as with {"replicas": 1} (rtol 1e-05)',
                         observation="x", same_as={"given": {"replicas": 1}}, rtol=1e-5)

    def test_condition(self):
        self.assertEqual(expectation_text.condition({"when": {"remainder": "pad"}}),
                         "remainder: pad")
        self.assertEqual(expectation_text.condition({}), "")


if __name__ == "__main__":
    xml_unittest.main()
