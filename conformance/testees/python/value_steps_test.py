import unittest

from conformance.testees.python import value_steps
from conformance.testees.python.answer import answer
from conformance.testees.python.miniature_testee import Miniature, Number
from conformance.testees.python.step_table import StepTable
from tools import xml_unittest


def of_two(function):
    return lambda a, b: Number(function(a.value, b.value))


def of_one(function):
    return lambda x: Number(function(x.value))


class Calculator(Miniature):
    steps = StepTable(
        Miniature.steps,
        value_steps.arithmetic(
            add=of_two(lambda a, b: a + b),
            multiply=of_two(lambda a, b: a * b),
            square=of_one(lambda x: x**2),
            sum_=of_one(lambda x: x + 100),
            mean=of_one(lambda x: x + 200),
        ),
    )


def observed(*program):
    given = {"strategy": "default"}
    return answer(Calculator(), {"given": given, "program": program})["observations"]


def let_constant(name, value):
    return {"let": name, "step": "value.constant", "value": value}


class RankTest(unittest.TestCase):
    def test_a_rank_is_how_many_lists_stand_inside_each_other(self):
        for literal, rank in ((1, 0), ("text", 0), ([], 1), ([1, 2], 1), ([[]], 2), ([[[1]]], 3)):
            self.assertEqual(value_steps.rank_of(literal), rank, literal)


class ValueStepsTest(unittest.TestCase):
    def test_each_step_calls_its_own_function(self):
        steps = {"square": 9, "sum": 103, "mean": 203}
        for step, expected in steps.items():
            show = {"observe": "y", "step": f"value.{step}", "of": "x"}
            with self.subTest(step):
                self.assertEqual(observed(let_constant("x", 3), show), {"y": expected})

    def test_the_steps_of_two_values_take_both(self):
        for step, expected in {"add": 7, "multiply": 12}.items():
            show = {"observe": "y", "step": f"value.{step}", "a": "x", "b": 4}
            with self.subTest(step):
                self.assertEqual(observed(let_constant("x", 3), show), {"y": expected})

    def test_several_values_are_shown_by_name(self):
        show = {"observe": "y", "step": "value.show", "of": {"first": "a", "second": "b"}}
        self.assertEqual(
            observed(let_constant("a", 1), let_constant("b", 2), show),
            {"y": {"first": 1, "second": 2}},
        )


if __name__ == "__main__":
    xml_unittest.main()
