"""What programs, expectations, verdicts and references look like to people."""

import unittest

from reports import case_status, expectation_text, program_text, reference_link
from reports.conformance_result_testing import VERDICTS, case
from tools import xml_unittest


class ProgramTextTest(unittest.TestCase):
    def assert_lines(self, program, *lines):
        self.assertEqual(program_text.lines(program), list(lines))

    def test_names_what_a_step_gives(self):
        self.assert_lines([{"let": "n", "step": "dataset.range", "stop": 6}], "n = dataset.range(stop=6)")

    def test_says_what_is_observed(self):
        self.assert_lines([{"observe": "seen", "step": "value.show", "of": "n"}], "observe seen = value.show(n)")

    def test_says_both(self):
        step = {"observe": "loss", "let": "l", "step": "loss.compute_average", "of": [1, 2.5], "global_batch_size": 8}
        self.assert_lines([step], "observe loss = l = loss.compute_average([1, 2.5], global_batch_size=8)")

    def test_indents_blocks_and_their_results(self):
        block = [{"let": "own", "step": "value.show", "of": "x"}]
        inner = {"let": "r", "step": "strategy.run", "args": {"x": "batch"}, "program": block, "return": {"a": "own"}}
        outer = {"step": "input.for_each", "of": "inputs", "as": "batch", "program": [inner]}
        self.assert_lines(
            [outer],
            "input.for_each(inputs) as batch:",
            "    r = strategy.run(x=batch):",
            "        own = value.show(x)",
            "        return {a: own}",
        )

    def test_a_parameter_stays_open(self):
        self.assert_lines(
            [{"step": "dataset.batch", "of": "n", "size": {"parameter": "batch"}}], "dataset.batch(n, size=<batch>)"
        )

    def test_writes_literals(self):
        self.assertEqual(program_text.value({"a": [True, None, "x"], "b": -0.5}), "{a: [true, nothing, x], b: -0.5}")


ENOUGH_CONTRAST = 4.5  # WCAG 2.1, level AA, for text


def luminance(color):
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(colors):
    dark, light = sorted(luminance(color) for color in colors)
    return (light + 0.05) / (dark + 0.05)


class CaseStatusTest(unittest.TestCase):
    def test_every_verdict_has_one(self):
        for verdict in VERDICTS:
            self.assertEqual(case_status.of_case(case("x", verdict)).id, verdict)

    def test_an_informational_case_differs(self):
        informational = case("x", "informational", level="observed", matches=False)
        self.assertEqual(case_status.of_case(informational).id, "differs")
        passed = case("x", matches=False)
        self.assertEqual(case_status.of_case(passed).id, "passed")

    def test_tells_what_was_not_run(self):
        self.assertEqual(case_status.of_case(None).id, "not_run")

    def test_no_two_look_the_same_without_colour(self):
        signs = [status.sign for status in case_status.ALL.values()]
        self.assertEqual(len(signs), len(set(signs)))

    def test_can_be_read_in_light_and_dark(self):
        self.assertAlmostEqual(contrast(("#000000", "#ffffff")), 21)
        for status in case_status.ALL.values():
            for colors in (status.light, status.dark):
                self.assertGreater(contrast(colors), ENOUGH_CONTRAST, (status, colors))


class ExpectationTextTest(unittest.TestCase):
    def assert_text(self, text, **expectation):
        self.assertEqual(expectation_text.describe(expectation), text)

    def test_equals(self):
        self.assert_text('x equals [1, "NaN"]', observation="x", equals=[1, "NaN"])

    def test_close_with_its_tolerance(self):
        self.assert_text("x is close to 0.5 (rtol 1e-06, atol 0.25)", observation="x", close=0.5, rtol=1e-6, atol=0.25)

    def test_error(self):
        self.assert_text(
            "the program ends with the error OutOfRange in input.next", error="OutOfRange", at_step="input.next"
        )
        self.assert_text(
            "the program ends with the error NotFound in data.x or data.y",
            error="NotFound",
            at_step=["data.x", "data.y"],
        )

    def test_same_on_all_replicas(self):
        self.assert_text("x is the same on all replicas", observation="x", same_on_all_replicas=True)
        self.assert_text(
            "x is the same on all replicas, in each round", observation="x", same_on_all_replicas="in_each_round"
        )

    def test_numbers(self):
        self.assert_text("x is a multiple of 3", observation="x", multiple_of=3)
        self.assert_text("x holds [1, 2] in any order and grouping", observation="x", same_multiset=[1, 2])

    def test_differing(self):
        self.assert_text("x differs from y", observation="x", differs_from="y")
        self.assert_text("x has no two entries that are equal", observation="x", entries_differ=True)

    def test_same_as(self):
        self.assert_text("x is the same as y", observation="x", same_as={"observation": "y"})
        self.assert_text(
            'x is the same as with {"replicas": 1} (rtol 1e-05)',
            observation="x",
            same_as={"given": {"replicas": 1}},
            rtol=1e-5,
        )
        self.assert_text(
            'x is the same as with {"replicas": 1} (to rounding)',
            observation="x",
            same_as={"given": {"replicas": 1}},
            tolerance="rounding",
        )

    def test_condition(self):
        self.assertEqual(expectation_text.condition({"when": {"remainder": "pad"}}), "remainder: pad")
        self.assertEqual(
            expectation_text.condition({"when": {"remainder": ["pad", "drop"], "empty_replica": {"not": "no_step"}}}),
            "remainder: pad or drop, empty_replica: not no_step",
        )
        self.assertEqual(expectation_text.condition({}), "")


class ReferenceLinkTest(unittest.TestCase):
    def test_finds_an_address(self):
        self.assertEqual(reference_link.find("see (https://a.org/x_y#z), there"), "https://a.org/x_y#z")

    def test_finds_an_issue(self):
        self.assertEqual(
            reference_link.find("keras-team/keras#20609 and others"), "https://github.com/keras-team/keras/issues/20609"
        )

    def test_finds_a_file(self):
        self.assertEqual(
            reference_link.find("a/b:c/d_e/values.py (_update), against c/f.py"),
            "https://github.com/a/b/blob/HEAD/c/d_e/values.py",
        )

    def test_finds_nothing_else(self):
        for text in (
            "its documentation",
            "c/values.py (update)",
            "at 10:30",
            "javascript:alert(1)",
            "http://a.org",
            "",
        ):
            self.assertIsNone(reference_link.find(text))


if __name__ == "__main__":
    xml_unittest.main()
