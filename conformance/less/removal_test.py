"""Programs with a step or an option less."""

import unittest

from conformance.less import vocabulary
from conformance.less.removal import Removal, RemovalError, all_removals
from tools import xml_unittest

STEPS = vocabulary.read_steps(".")
NUMBERS = {"let": "numbers", "step": "dataset.range", "stop": 6}
NOTHING = {"step": "program.try", "program": []}


def without(name, *program):
    return Removal.parse(name, STEPS).apply(list(program))


class StepTest(unittest.TestCase):
    def test_what_gives_what_it_is_given_gives_that(self):
        mixed = {"let": "mixed", "step": "dataset.shuffle", "of": "numbers", "buffer_size": 6, "seed": 7}
        self.assertEqual(
            without("dataset.shuffle", NUMBERS, mixed),
            [NUMBERS, {"let": "mixed", "step": "value.show", "of": "numbers"}],
        )

    def test_a_block_goes_with_its_step(self):
        block = [{"let": "y", "step": "value.square", "of": "x"}]
        step = {"let": "squares", "step": "dataset.map", "of": "numbers", "as": "x", "program": block, "return": "y"}
        self.assertEqual(without("dataset.map", step), [{"let": "squares", "step": "value.show", "of": "numbers"}])

    def test_what_gives_nothing_is_left_out(self):
        step = {"step": "variable.assign", "of": "v", "value": 1}
        self.assertEqual(without("variable.assign", NUMBERS, step), [NUMBERS])

    def test_what_is_observed_is_nothing(self):
        step = {"observe": "sizes", "step": "input.batch_sizes", "of": "inputs"}
        self.assertEqual(without("input.batch_sizes", step), [{"observe": "sizes"} | NOTHING])

    def test_what_is_made_is_nothing(self):
        self.assertEqual(without("dataset.range", NUMBERS), [{"let": "numbers"} | NOTHING])

    def test_an_open_block_stays(self):
        block = [{"let": "v", "step": "variable.create", "value": 1}]
        self.assertEqual(without("strategy.scope", {"step": "strategy.scope", "of": "two", "program": block}), block)
        self.assertEqual(
            without("program.try", {"observe": "error", "step": "program.try", "program": block}),
            [*block, {"observe": "error"} | NOTHING],
        )

    def test_what_another_block_observes_is_nothing(self):
        inner = {"step": "program.repeat", "times": 2, "program": [{"observe": "x", "step": "value.show", "of": 1}]}
        step = {"step": "strategy.run", "program": [inner]}
        self.assertEqual(without("strategy.run", step), [{"observe": "x"} | NOTHING])

    def test_blocks_are_looked_into(self):
        step = {"step": "program.repeat", "times": 2, "program": [{"step": "value.fail"}]}
        self.assertEqual(without("value.fail", step), [step | {"program": []}])

    def test_a_program_without_it_is_the_same(self):
        self.assertEqual(without("dataset.shuffle", NUMBERS), [NUMBERS])


class OptionTest(unittest.TestCase):
    def test_what_is_optional_is_left_out(self):
        step = {"let": "b", "step": "dataset.batch", "of": "numbers", "size": 4}
        self.assertEqual(without("dataset.batch:drop_remainder", step | {"drop_remainder": True}), [step])

    def test_an_integer_is_one_also_where_it_is_a_name(self):
        step = {"let": "b", "step": "dataset.batch", "of": "numbers"}
        for size in (4, "i"):
            self.assertEqual(without("dataset.batch:size", step | {"size": size}), [step | {"size": 1}])

    def test_a_number_is_zero_and_a_choice_the_first(self):
        rate = {"let": "d", "step": "layer.dropout", "rate": 0.5}
        self.assertEqual(without("layer.dropout:rate", rate), [rate | {"rate": 0}])
        gather = {"step": "collective.all_reduce", "of": "x", "op": "mean"}
        self.assertEqual(without("collective.all_reduce:op", gather), [gather | {"op": "sum"}])

    def test_what_is_true_unasked_is_also_false(self):
        step = {"let": "mixed", "step": "dataset.shuffle", "of": "numbers", "buffer_size": 6, "seed": 7}
        self.assertEqual(
            without("dataset.shuffle:reshuffle_each_iteration=false", step),
            [step | {"reshuffle_each_iteration": False}],
        )

    def test_an_optional_integer_can_be_one(self):
        step = {"let": "own", "step": "dataset.shard", "of": "all", "num_shards": 2, "index": 1}
        self.assertEqual(without("dataset.shard:num_shards=1", step), [step | {"num_shards": 1}])
        self.assertIsNone(Removal.parse("dataset.batch:size", STEPS).instead)

    def test_every_step_is_tried_and_what_it_works_on_is_no_option(self):
        names = [removal.name for removal in all_removals(STEPS)]
        self.assertLessEqual(set(STEPS), set(names))
        self.assertEqual(
            [name for name in names if name.startswith("dataset.shuffle:")],
            [
                "dataset.shuffle:buffer_size",
                "dataset.shuffle:seed",
                "dataset.shuffle:reshuffle_each_iteration",
                "dataset.shuffle:reshuffle_each_iteration=false",
            ],
        )
        self.assertNotIn("strategy.run:args", names)

    def test_refuses_what_there_is_not(self):
        with self.assertRaisesRegex(RemovalError, "got dataset.range:of"):
            without("dataset.range:of")


if __name__ == "__main__":
    xml_unittest.main()
