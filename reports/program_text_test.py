import unittest

from reports import program_text
from tools import xml_unittest


class ProgramTextTest(unittest.TestCase):
    def assert_lines(self, program, *lines):
        self.assertEqual(program_text.lines(program), list(lines))

    def test_names_what_a_step_gives(self):
        self.assert_lines([{"let": "n", "step": "dataset.range", "stop": 6}],
                          "n = dataset.range(stop=6)")

    def test_says_what_is_observed(self):
        self.assert_lines([{"observe": "seen", "step": "value.show", "of": "n"}],
                          "observe seen = value.show(n)")

    def test_says_both(self):
        step = {"observe": "loss", "let": "l", "step": "loss.compute_average",
                "of": [1, 2.5], "global_batch_size": 8}
        self.assert_lines(
            [step],
            "observe loss = l = loss.compute_average([1, 2.5], global_batch_size=8)")

    def test_indents_blocks_and_their_results(self):
        block = [{"let": "own", "step": "value.show", "of": "x"}]
        inner = {"let": "r", "step": "strategy.run", "args": {"x": "batch"},
                 "program": block, "return": {"a": "own"}}
        outer = {"step": "input.for_each", "of": "inputs", "as": "batch",
                 "program": [inner]}
        self.assert_lines(
            [outer],
            "input.for_each(inputs) as batch:",
            "    r = strategy.run(x=batch):",
            "        own = value.show(x)",
            "        return {a: own}",
        )

    def test_writes_literals(self):
        self.assertEqual(program_text.value({"a": [True, None, "x"], "b": -0.5}),
                         "{a: [true, nothing, x], b: -0.5}")


if __name__ == "__main__":
    xml_unittest.main()
