import unittest

from conformance.testees.python.tracing import Tracing, fill
from tools import xml_unittest


class TracingTest(unittest.TestCase):
    def test_observed_values_take_their_places(self):
        tracing = Tracing()
        with tracing.collect() as observed:
            observation = [tracing.placeholder("x"), {"a": tracing.placeholder("y")}]
        self.assertEqual(observed, ["x", "y"])
        filled = fill(observation, lambda n: observed[n].upper())
        self.assertEqual(filled, ["X", {"a": "Y"}])

    def test_functions_inside_one_another_collect_their_own(self):
        tracing = Tracing()
        with tracing.collect() as outer:
            with tracing.collect() as inner:
                tracing.placeholder("inner")
            tracing.placeholder("outer")
        self.assertEqual((outer, inner), (["outer"], ["inner"]))

    def test_a_function_that_fails_ends_its_collection(self):
        tracing = Tracing()
        with tracing.collect() as outer:
            with self.assertRaises(ValueError), tracing.collect():
                raise ValueError
            tracing.placeholder(1)
        self.assertEqual(outer, [1])

    def test_what_is_no_placeholder_stays(self):
        observation = {"a": [1, None, "text"], "b": {}}
        self.assertEqual(fill(observation, lambda n: self.fail()), observation)


if __name__ == "__main__":
    xml_unittest.main()
