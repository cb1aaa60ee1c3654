"""A program is run: its names, its blocks, and the steps that no framework owns."""

import os
import unittest

from conformance.testees.python import value_steps
from conformance.testees.python.answer import answer, reply_for_unsupported
from conformance.testees.python.environment import Environment, observation_names
from conformance.testees.python.errors import ProgramError
from conformance.testees.python.miniature_testee import Miniature, Number
from conformance.testees.python.step_table import StepTable
from tools import xml_unittest


def answer_to(program, replicas=2):
    given = {"strategy": "mirrored", "replicas": replicas}
    return answer(Miniature(), {"given": given, "program": program})


def observations_of(program, replicas=2):
    return answer_to(program, replicas)["observations"]


SHOW_X = {"observe": "x", "step": "value.show", "of": "x"}


class AnswerTest(unittest.TestCase):
    def test_replicas_observe_a_list_in_the_order_of_the_blocks(self):
        inner = [SHOW_X, {"let": "y", "step": "value.add", "a": "x", "b": 10}]
        values = {"let": "v", "step": "strategy.distribute_values", "values": [1, 2]}
        run = {"let": "r", "step": "strategy.run", "args": {"x": "v"}, "return": ["y"]}
        repeat = {"step": "program.repeat", "times": 3}
        observed = observations_of(
            [
                values,
                repeat | {"program": [run | {"program": inner}]},
                run | {"program": inner},
                {"observe": "results", "step": "value.show", "of": "r"},
            ]
        )
        self.assertEqual(observed["x"], [1, 2])  # the later one hides the earlier
        self.assertEqual(observed["results"], [[11], [12]])

    def test_rounds_nest_as_blocks_do(self):
        run = {"step": "strategy.run", "args": {"x": "i"}, "program": [SHOW_X]}
        repeat = {"step": "program.repeat", "times": 3, "as": "i", "program": [run]}
        self.assertEqual(observations_of([repeat]), {"x": [[0, 0], [1, 1], [2, 2]]})

    def test_a_loop_is_left_after_the_round_that_says_so(self):
        values = {"let": "v", "step": "strategy.distribute_values", "values": [0, 0, 3, 4]}
        loop = {"step": "input.for_each", "of": "v", "as": "x", "program": [SHOW_X]}
        self.assertEqual(observations_of([values, loop]), {"x": [0, 0, 3, 4]})
        self.assertEqual(observations_of([values, loop | {"until": "x"}]), {"x": [0, 0, 3]})

    def test_a_name_that_nothing_has_stands_for_something_else(self):
        environment = Environment(Environment())
        environment.bind("x", 1)
        self.assertEqual((environment.find_or("x", 2), environment.find_or("y", 2)), (1, 2))

    def test_a_repeated_block_keeps_its_names_to_itself(self):
        block = [{"let": "inside", "step": "value.constant", "value": 1}]
        program = [{"step": "program.repeat", "times": 1, "program": block}, {"step": "value.show", "of": "inside"}]
        with self.assertRaises(ProgramError):
            answer_to(program)

    def test_tape_and_try_leave_their_names(self):
        block = [{"let": "x", "step": "value.constant", "value": 4}]
        for step in ("gradient.tape", "program.try"):
            with self.subTest(step):
                opens = {"step": step, "target": "x", "program": block}
                self.assertEqual(observations_of([opens, SHOW_X]), {"x": 4})

    def test_nothing_is_null(self):
        block = [{"let": "x", "step": "value.constant", "value": 4}]
        tape = {"observe": "g", "step": "gradient.tape", "target": "x"}
        observed = observations_of([tape | {"program": block}])
        self.assertEqual(observed, {"g": [4, None]})

    def test_literal_takes_the_dtype_beside_it(self):
        for a, b in (("n", 1), (1, "n")):
            with self.subTest(a=a):
                program = [
                    {"let": "n", "step": "value.constant", "value": 2, "dtype": "int64"},
                    {"let": "s", "step": "value.add", "a": a, "b": b},
                    {"observe": "dtype", "step": "value.dtype", "of": "s"},
                ]
                self.assertEqual(observations_of(program), {"dtype": "int64"})

    def test_counter_is_a_value_like_a_literal(self):
        dtype = {"observe": "dtype", "step": "value.dtype", "of": "i"}
        repeat = {"step": "program.repeat", "times": 1, "as": "i", "program": [dtype]}
        self.assertEqual(observations_of([repeat]), {"dtype": ["float32"]})

    def test_step_can_be_observed_and_named(self):
        constant = {"step": "value.constant", "value": 4}
        observed = observations_of([{"let": "x", "observe": "c"} | constant, SHOW_X])
        self.assertEqual(observed, {"c": 4, "x": 4})

    def test_result_is_the_structure_of_its_names(self):
        testee, results = Miniature(), []

        @testee.steps.step("test.result")
        def result(call):
            inner = call.inner(x=1, y=None)
            results.append(call.result(inner))

        for form in ({"a": "x", "b": ["y", "y"]}, None):
            step = {"step": "test.result"} | ({"return": form} if form else {})
            answer(testee, {"given": {}, "program": [step]})
        (x, y), nothing = results[0].values(), results[1]
        self.assertEqual((x.value, y, nothing), (1, (None, None), None))

    def test_error_names_the_innermost_step(self):
        block = [{"step": "value.fail", "on_replica": 1}]
        error = answer_to([{"step": "strategy.run", "program": block}])["error"]
        self.assertEqual(error["at_step"], "value.fail")
        self.assertEqual(error["class"], "InvalidArgument")
        self.assertEqual(error["message"], "ArithmeticError: as asked to")

    def test_try_gives_the_class_and_goes_on(self):
        fail = {"step": "strategy.run", "program": [{"step": "value.fail"}]}
        program = [
            {"observe": "error", "step": "program.try", "program": [fail]},
            {"observe": "none", "step": "program.try", "program": []},
        ]
        observed = observations_of(program)
        self.assertEqual(observed, {"error": "InvalidArgument", "none": None})

    def test_when_runs_its_block_where_the_value_is_true(self):
        for value, error in ((0, None), (2, "InvalidArgument")):
            when = {"step": "program.when", "of": value, "program": [{"step": "value.fail"}]}
            block = [{"step": "strategy.run", "program": [when]}]
            observed = observations_of([{"observe": "error", "step": "program.try", "program": block}])
            self.assertEqual(observed, {"error": error})

    def test_step_that_is_lacking_is_said_before_anything_runs(self):
        program = [
            {"step": "process.exit", "status": 3},
            {"step": "program.repeat", "program": [{"step": "strategy.gather"}]},
        ]
        reason = "a miniature gathers nothing"
        self.assertEqual(answer_to(program), {"unsupported": {"step": "strategy.gather", "reason": reason}})

    def test_unknown_step_is_unsupported(self):
        self.assertIn("unsupported", answer_to([{"step": "model.fit"}]))

    def test_reason_for_a_group_is_that_of_its_steps_without_another(self):
        table = StepTable()
        table.unsupported("metric.create", "no metrics")
        table.unsupported_group("metric", "nothing is measured")
        table = StepTable(table)
        self.assertEqual(table.reason("metric.create"), "no metrics")
        self.assertEqual(table.reason("metric.result"), "nothing is measured")
        self.assertEqual(table.reason("model.fit"), "it has nothing that does this")

    def test_step_can_say_that_it_lacks_one_of_its_kinds(self):
        create = {"step": "variable.create", "value": 1, "synchronization": "on_read"}
        caught = {"observe": "e", "step": "program.try", "program": [create]}
        unsupported = answer_to([caught])["unsupported"]
        self.assertEqual(unsupported["step"], "variable.create")
        self.assertIn("summed on read", unsupported["reason"])

    def test_missing_argument_is_the_program_s_fault(self):
        with self.assertRaisesRegex(ProgramError, "value.show lacks .* 'of'"):
            answer_to([{"step": "value.show"}])

    def test_what_has_no_look_is_not_observed(self):
        testee = Miniature()

        @testee.steps.step("test.make")
        def make(call):
            return {"part": [Number(1), testee]}

        program = [{"observe": "made", "step": "test.make"}]
        with self.assertRaisesRegex(ProgramError, "only values .* got Miniature"):
            answer(testee, {"given": {}, "program": program})

    def test_files_are_in_an_empty_folder_of_the_program(self):
        files = {"observe": "files", "step": "file.list", "folder": "."}
        self.assertEqual(observations_of([files]), {"files": []})

    def test_flipped_byte_is_another_one(self):
        flip = {"step": "file.flip_byte", "file": "f", "at": -1}
        testee = Miniature()
        written = []

        @testee.steps.step("test.write")
        def write(call):
            written.append(call.path("f"))
            with open(written[0], "wb") as stream:
                stream.write(b"\x01\x0f")

        @testee.steps.step("test.read")
        def read(call):
            with open(call.path("f"), "rb") as stream:
                return list(stream.read())

        program = [{"step": "test.write"}, flip, {"observe": "f", "step": "test.read"}]
        observed = answer(testee, {"given": {}, "program": program})["observations"]
        self.assertEqual(observed, {"f": [0x01, 0xF0]})
        self.assertFalse(os.path.exists(os.path.dirname(written[0])))


class ReplyForLackTest(unittest.TestCase):
    def test_a_lacking_step_is_found_without_running_the_program(self):
        testee = Miniature()
        gather = {"step": "strategy.gather", "of": "x"}
        program = [{"step": "program.try", "program": [gather]}]
        reason = "a miniature gathers nothing"
        unsupported = {"unsupported": {"step": "strategy.gather", "reason": reason}}
        self.assertEqual(reply_for_unsupported(testee, program), unsupported)
        self.assertEqual(testee.runs, 0)

    def test_other_programs_have_no_such_reply(self):
        program = [{"step": "value.constant", "value": 1}]
        self.assertIsNone(reply_for_unsupported(Miniature(), program))


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
        program = [{"observe": "a", "step": "s"}, {"step": "t", "program": [{"observe": "b", "step": "s"}]}]
        self.assertEqual(observation_names(program), ["a", "b"])


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
            divide=of_two(lambda a, b: a / b),
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
        for step, expected in {"add": 7, "multiply": 12, "divide": 0.75}.items():
            show = {"observe": "y", "step": f"value.{step}", "a": "x", "b": 4}
            with self.subTest(step):
                self.assertEqual(observed(let_constant("x", 3), show), {"y": expected})

    def test_several_values_are_shown_by_name(self):
        show = {"observe": "y", "step": "value.show", "of": {"first": "a", "second": "b"}}
        self.assertEqual(observed(let_constant("a", 1), let_constant("b", 2), show), {"y": {"first": 1, "second": 2}})


if __name__ == "__main__":
    xml_unittest.main()
