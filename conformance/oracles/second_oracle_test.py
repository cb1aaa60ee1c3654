"""Which expected values a framework has agreed with, and that each has two oracles."""

import unittest

from conformance.answers import frameworks
from conformance.oracles import count, second_oracle
from tools import xml_unittest

KNOWN = {
    name: frameworks.Framework(name, family, ("pack",))
    for name, family in (("mini", "one"), ("mini_too", "one"), ("other", "two"))
}
ONE = {"observation": "x", "equals": 1}
TWO = {"observation": "x", "close": [[2]], "atol": 1, "because": "it rounds"}
TEXT = {"observation": "x", "equals": ["a", True, None]}
ERROR = {"error": "NotFound", "at_step": "data.x"}


def make_case(*expect, name="a/b/c"):
    return {
        "id": name,
        "given": {"strategy": "default"},
        "program": [{"observe": "x", "step": "data.x"}],
        "expect": list(expect),
    }


def make_result(case, *runs):
    """Each run: whether each expectation held, None where it was not judged."""
    found = [
        {"findings": [{"expectation": index, "holds": holds} for index, holds in enumerate(run) if holds is not None]}
        for run in runs
    ]
    return {"cases": [case | {"runs": found}]}


def oracle_of(case, *runs, names=("mini",)):
    return second_oracle.SecondOracle([case], {name: make_result(case, *runs) for name in names}, KNOWN)


class AgreeTest(unittest.TestCase):
    def agree(self, *runs):
        case = make_case(ONE, TWO)
        return oracle_of(case, *runs).agree(case)

    def test_what_held_in_every_run_agrees(self):
        self.assertEqual(self.agree([True, False]), [["mini"], []])
        self.assertEqual(self.agree([True, True], [True, False]), [["mini"], []])

    def test_what_was_not_judged_does_not_agree(self):
        self.assertEqual(self.agree([True, None], [None, True]), [[], []])

    def test_all_that_hold_are_named(self):
        case = make_case(ONE)
        self.assertEqual(oracle_of(case, [True], names=("other", "mini")).agree(case), [["mini", "other"]])

    def test_the_reference_is_no_oracle(self):
        case = make_case(ONE)
        self.assertEqual(oracle_of(case, [True], names=("reference",)).agree(case), [[]])


class ProblemsTest(unittest.TestCase):
    def problems(self, case, *holds, names=KNOWN):
        return oracle_of(case, holds, names=names).problems()

    def test_a_value_needs_a_framework_or_a_reason(self):
        self.assertEqual(self.problems(make_case(ONE, TWO), True, True), [])
        missing = ["a/b/c: expectation 0: no framework agrees, and no 'no_framework_agrees' says why"]
        for expectation in (ONE, TEXT, ERROR):
            with self.subTest(expectation):
                self.assertEqual(self.problems(make_case(expectation), False), missing)

    def test_nothing_is_missing_before_all_have_answered(self):
        self.assertEqual(self.problems(make_case(ONE), False, names=("mini", "mini_too")), [])

    def test_an_error_and_a_text_need_a_reason_only(self):
        for expectation in (TEXT, ERROR):
            with self.subTest(expectation):
                self.assertEqual(
                    self.problems(make_case(expectation | {"no_framework_agrees": "they all refuse"}), False), []
                )

    def test_a_number_needs_its_derivation_as_well(self):
        alone = ONE | {"no_framework_agrees": "they all refuse"}
        self.assertEqual(
            self.problems(make_case(alone), False),
            ["a/b/c: expectation 0: no framework agrees, and no 'by_hand' says how the value follows"],
        )
        self.assertEqual(self.problems(make_case(alone | {"by_hand": "3 - 2 = 1"}), False), [])

    def test_a_reason_must_not_outlive_its_cause(self):
        alone = ONE | {"no_framework_agrees": "they all refuse"}
        self.assertEqual(
            self.problems(make_case(alone), True, names=("mini", "other")),
            ["a/b/c: expectation 0: mini, other agrees, against 'no_framework_agrees'"],
        )

    def test_how_values_relate_needs_no_framework(self):
        self.assertEqual(self.problems(make_case({"observation": "x", "same_on_all_replicas": True}), False), [])

    def test_numbers_are_found_wherever_they_stand(self):
        for value in ({"a": [[0.5]]}, [["NaN"]], "-Infinity"):
            self.assertTrue(second_oracle.is_numeric({"observation": "x", "equals": value}), value)
        self.assertFalse(second_oracle.is_numeric(TEXT))


class CountTest(unittest.TestCase):
    def test_one_family_counts_once(self):
        self.assertEqual(frameworks.families(["mini", "mini_too"], KNOWN), ["one"])
        case = make_case(ONE)
        self.assertEqual(
            oracle_of(case, [True], names=["mini", "mini_too"]).count(),
            "1 values and errors: 0 confirmed by several families, by one alone 1 by one, by none 0; "
            "1 cases wait for an answer",
        )
        self.assertEqual(
            oracle_of(case, [True], names=KNOWN).count(),
            "1 values and errors: 1 confirmed by several families, by one alone none, by none 0; "
            "0 cases wait for an answer",
        )


class TreeTest(unittest.TestCase):
    """The answers as they stand."""

    maxDiff = None

    def test_keras_stands_on_tensorflow(self):
        known = frameworks.load(".")
        self.assertLessEqual({"jax", "pytorch", "tensorflow"}, set(frameworks.families(known, known)))
        self.assertEqual(known["keras"].family, known["tensorflow"].family)

    def test_every_value_has_a_second_oracle(self):
        self.assertEqual("\n".join(count.load(".").problems()), "")

    def test_frameworks_confirm_most_values(self):
        oracle = count.load(".")
        self.assertRegex(oracle.count(), r"^[12]\d{3} values and errors: \d{3,} confirmed by several families")


if __name__ == "__main__":
    xml_unittest.main()
