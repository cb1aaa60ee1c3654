import unittest

from conformance.testees.python.environment import Environment, observation_names
from conformance.testees.python.errors import ProgramError
from tools import xml_unittest


class EnvironmentTest(unittest.TestCase):
    def test_sees_the_names_around_it(self):
        outer = Environment()
        outer.bind("x", 1)
        inner = Environment(outer)
        self.assertEqual(inner.find("x"), 1)

    def test_hides_an_earlier_name_without_changing_it(self):
        outer = Environment()
        outer.bind("x", 1)
        inner = Environment(outer)
        inner.bind("x", 2)
        self.assertEqual((inner.find("x"), outer.find("x")), (2, 1))

    def test_follows_a_path_through_structures(self):
        environment = Environment()
        environment.bind("batch", {"x": (10, {"y": 20})})
        self.assertEqual(environment.find("batch.x.0"), 10)
        self.assertEqual(environment.find("batch.x.1.y"), 20)

    def test_asks_for_the_parts_of_other_values(self):
        environment = Environment(part_of=lambda value, key: (value, key))
        environment.bind("tensor", 5.0)
        self.assertEqual(Environment(environment).find("tensor.x"), (5.0, "x"))

    def test_unknown_names_and_parts_are_errors(self):
        environment = Environment()
        environment.bind("pair", (1, 2))
        environment.bind("batch", {"x": 1})
        environment.bind("number", 1)
        for path in ("nothing", "pair.2", "pair.x", "batch.y", "number.x"):
            with self.subTest(path), self.assertRaises(ProgramError):
                environment.find(path)

    def test_rounds_become_lists(self):
        rounds = [Environment(), Environment()]
        rounds[0].observe("a", 1)
        rounds[1].observe("a", 2)
        rounds[1].observe("b", 3)
        environment = Environment()
        environment.observe_rounds(["a", "b"], rounds)
        self.assertEqual(environment.observations, {"a": [1, 2], "b": [None, 3]})

    def test_no_rounds_are_empty_lists(self):
        environment = Environment()
        environment.observe_rounds(["a"], [])
        self.assertEqual(environment.observations, {"a": []})

    def test_names_of_observations_are_found_in_blocks(self):
        program = [
            {"observe": "a", "step": "s"},
            {"step": "t", "program": [{"observe": "b", "step": "s"}]},
        ]
        self.assertEqual(observation_names(program), ["a", "b"])


if __name__ == "__main__":
    xml_unittest.main()
