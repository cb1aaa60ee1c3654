"""What became of a case between two runs: the rules of a regression."""

import unittest

from reports import case_change
from reports.case_change import first_difference
from reports.conformance_result_testing import OTHER, STATED, VERDICTS, case, unjudged
from tools import xml_unittest


def find(old, new, enforced=()):
    return case_change.find(old, new, ("required", *enforced))


def kinds(old, new, enforced=()):
    """[(kind, way, level)] of what became of a case; empty for nothing."""
    change = find(old, new, enforced)
    return [change[:3]] if change else []


REGRESSION = [("regression", "worse", "required")]
BETTER = [("better", "better", "required")]
OTHERWISE = [("other", "otherwise", "required")]


class RulesTest(unittest.TestCase):
    def test_what_passed_and_ends_in_any_other_way_is_a_regression(self):
        for verdict in ("unsupported", "failed", "errored", "timed_out", "crashed", "protocol_error"):
            with self.subTest(verdict):
                self.assertEqual(kinds(case("x"), case("x", verdict)), REGRESSION)
                self.assertEqual(kinds(case("x", verdict), case("x")), BETTER)

    def test_the_same_again_is_no_change(self):
        for verdict in VERDICTS:
            with self.subTest(verdict):
                self.assertEqual(kinds(case("x", verdict), case("x", verdict)), [])

    def test_one_that_fails_and_then_gives_no_answer_is_a_regression(self):
        for verdict in ("timed_out", "crashed", "protocol_error"):
            with self.subTest(verdict):
                self.assertEqual(kinds(case("x", "failed"), case("x", verdict)), REGRESSION)
                self.assertEqual(kinds(case("x", verdict), case("x", "failed")), BETTER)

    def test_a_crash_counts_at_every_level(self):
        self.assertEqual(
            kinds(unjudged("x", STATED, True), case("x", "crashed", "observed")), [("regression", "worse", "observed")]
        )

    def test_a_step_that_was_unsupported_and_now_fails_is_no_regression(self):
        self.assertEqual(kinds(case("x", "unsupported"), case("x", "failed")), OTHERWISE)

    def test_more_that_fails_is_a_regression(self):
        old, new = case("x", "failed"), case("x", "failed")
        second = {"expectation": 1, "level": "required", "observed": 2}
        for made in (old, new):
            made["expect"].append({"observation": "count", "equals": 2})
        old["runs"][0]["findings"].append({**second, "holds": True})
        new["runs"][0]["findings"].append(
            {**second, "holds": False, "observed": 3, "difference": "expected 2, observed 3"}
        )
        old["runs"][0]["observations"]["count"] = 2
        new["runs"][0]["observations"]["count"] = 3
        self.assertEqual(kinds(old, new), REGRESSION)
        self.assertEqual(find(old, new).differences[0].text, "count: was 2, is 3")

    def test_advice_and_decisions_count_where_they_are_enforced(self):
        old, new = case("x", level="recommended"), case("x", "warned", "recommended")
        self.assertEqual(kinds(old, new), [("other", "worse", "recommended")])
        self.assertEqual(kinds(new, old), [("other", "better", "recommended")])
        self.assertEqual(kinds(old, new, ["decision"]), [("other", "worse", "recommended")])
        self.assertEqual(kinds(old, new, ["recommended"]), [("regression", "worse", "recommended")])
        old, new = (unjudged("x", *answer, level="decision") for answer in ((STATED, True), (OTHER, False)))
        self.assertEqual(kinds(old, new), [("other", "worse", "decision")])
        self.assertEqual(kinds(old, new, ["decision"]), [("regression", "worse", "decision")])

    def test_advice_that_is_no_longer_kept_within_a_required_case(self):
        old, new = case("x"), case("x", "warned")
        new["runs"][0]["findings"][0]["level"] = "recommended"
        old["runs"][0]["findings"][0]["level"] = "recommended"
        self.assertEqual(kinds(old, new), [("other", "worse", "recommended")])

    def test_unsupported_is_a_regression_of_what_is_required_alone(self):
        self.assertEqual(
            kinds(unjudged("x", STATED, True), case("x", "unsupported", "observed")), [("other", "worse", "observed")]
        )

    def test_told_otherwise(self):
        self.assertEqual(
            kinds(unjudged("x", OTHER), unjudged("x", [[4], [0, 2]])), [("other", "otherwise", "observed")]
        )
        self.assertEqual(kinds(unjudged("x", OTHER), unjudged("x", OTHER)), [])

    def test_values_matches_may_differ_within_tolerance(self):
        self.assertEqual(kinds(unjudged("x", 1.0, True), unjudged("x", 1.0000001, True)), [])

    def test_an_error_that_may_come_from_either_step_is_the_same(self):
        made = [case("x"), case("x")]
        for refusing, step in zip(made, ("dataset.batch", "dataset.elements")):
            run = refusing["runs"][0]
            del run["observations"]
            run["error"] = {"class": "InvalidArgument", "message": "no", "at_step": step}
        self.assertEqual(kinds(*made), [])

    def test_what_holds_beside_what_fails_may_differ_within_tolerance(self):
        made = [case("x", "failed"), case("x", "failed")]
        for failing, loss in zip(made, (0.5, 0.5000001)):
            failing["expect"].append({"observation": "loss", "close": 0.5})
            failing["runs"][0]["observations"]["loss"] = loss
            failing["runs"][0]["findings"].append(
                {"expectation": 1, "level": "required", "holds": True, "observed": loss}
            )
        self.assertEqual(kinds(*made), [])

    def test_failing_with_another_value_is_reported(self):
        new = case("x", "failed")
        new["runs"][0]["observations"]["sizes"] = [[3, 1], [2, 0]]
        self.assertEqual(kinds(case("x", "failed"), new), OTHERWISE)

    def test_an_error_is_the_same_whatever_its_message(self):
        new = case("x", "errored")
        new["runs"][0]["error"]["message"] = "at 0x7f01"
        self.assertEqual(kinds(case("x", "errored"), new), [])
        new["runs"][0]["error"]["class"] = "DataLoss"
        self.assertEqual(kinds(case("x", "errored"), new), OTHERWISE)

    def test_other_conventions_other_expectations(self):
        """What passed by one convention and breaks what the other one requires."""
        old, new = case("x"), case("x", "failed")
        for made in (old, new):
            made["expect"] = [
                {"observation": "sizes", "equals": STATED, "when": {"r": "a"}},
                {"observation": "sizes", "equals": STATED, "when": {"r": "b"}},
            ]
        new["runs"][0]["findings"][0]["expectation"] = 1
        self.assertEqual(kinds(old, new), REGRESSION)
        self.assertEqual(kinds(new, old), BETTER)
        nothing = case("x", "unsupported", expect=old["expect"])
        nothing["runs"][0]["findings"] = []
        nothing["runs"][0]["unsupported"] = {"step": "", "reason": "judged only for c"}
        self.assertEqual(kinds(old, nothing), REGRESSION)
        self.assertIn("now: judged only for c", find(old, nothing).differences[0].text)

    def test_what_is_matches_under_other_conventions_may_be_something_else(self):
        old, new = case("x"), case("x")
        for made in (old, new):
            made["expect"] = [
                {"observation": "sizes", "equals": STATED, "when": {"r": "a"}},
                {"observation": "sizes", "equals": OTHER, "when": {"r": "b"}},
            ]
        new["runs"][0]["findings"][0]["expectation"] = 1
        self.assertEqual(kinds(old, new), [])
        new["runs"][0]["observations"]["sizes"] = OTHER
        self.assertEqual(kinds(old, new), OTHERWISE)
        self.assertEqual(find(old, new).differences[0].text, "sizes at [1][0]: was 1, is 2")

    def test_an_error_that_only_other_conventions_expect(self):
        old, new = case("x"), case("x", "failed")
        for made in (old, new):
            made["expect"] = [
                {"observation": "sizes", "equals": STATED, "when": {"r": "a"}},
                {"error": "DataLoss", "at_step": "s", "when": {"r": "b"}},
            ]
        new["runs"][0]["observations"]["sizes"] = STATED
        new["runs"][0]["findings"] = [
            {"expectation": 1, "level": "required", "holds": False, "difference": "the program ran to its end"}
        ]
        self.assertEqual(kinds(old, new), REGRESSION)
        self.assertEqual(find(old, new).differences[0].text, "error: the program ran to its end")

    def test_what_the_other_run_compared_with(self):
        """The observation is the same, and what it has to equal is not."""
        old, new = case("x"), case("x", "failed")
        new["runs"][0]["observations"]["sizes"] = STATED
        self.assertEqual(find(old, new).differences[0].text, "sizes: at [1][0]: expected 1, observed 2")
        self.assertEqual(find(new, old).differences[0].text, "sizes: at [1][0]: expected 1, observed 2")

    def test_flickering(self):
        self.assertEqual(kinds(case("x"), case("x", flickers=True)), REGRESSION)
        self.assertEqual(kinds(case("x", flickers=True), case("x")), BETTER)
        self.assertEqual(
            kinds(unjudged("x", OTHER), {**unjudged("x", OTHER), "flickers": True}),
            [("other", "otherwise", "observed")],
        )

    def test_each_replica_count_is_compared_with_its_own(self):
        old, new = case("x"), case("x", "failed")
        for made, answers in ((old, ("passed", "failed")), (new, ("failed", "passed"))):
            made["runs"] = [
                {**case("x", answer)["runs"][0], "given": {"replicas": count}} for count, answer in zip((2, 4), answers)
            ]
        self.assertEqual(kinds(old, new), REGRESSION)
        self.assertEqual([d.given["replicas"] for d in find(old, new).differences], [2, 4])


class FirstDifferenceTest(unittest.TestCase):
    def test_places(self):
        for old, new, found in (
            (STATED, OTHER, ("[1][0]", 1, 2)),
            ({"a": [1, 2]}, {"a": [1, 3]}, ('["a"][1]', 2, 3)),
            ([1], [1, 2], ("", [1], [1, 2])),
            (True, 1, ("", True, 1)),
            (None, 0, ("", None, 0)),
            ([1, 2], [1.0, 2], None),
        ):
            self.assertEqual(first_difference(old, new), found)


if __name__ == "__main__":
    xml_unittest.main()
