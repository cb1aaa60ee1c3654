"""The linter of cases, and the cases of the tree."""

import copy
import json
import os
import unittest

from tools import placeholder, source_tree, xml_unittest
from tools.check_cases import case_format, check_cases, check_conventions, check_deviations, check_dialects

FRAMEWORK = {
    "id": "framework",
    "kind": "implementation",
    "title": "A framework",
    "url": "https://example.org",
    "anchor_pattern": "tf[.a-z]+",
}
SOURCES = {
    "sources": [
        {
            "id": "guide",
            "kind": "document",
            "title": "A guide to things",
            "url": "https://example.org/guide",
            "anchors": {"split": "Batches are split over replicas."},
        },
        {
            "id": "issues",
            "kind": "issues",
            "title": "Issues of users",
            "url": "https://example.org/",
            "anchor_pattern": "[a-z]+/[a-z]+#[0-9]+",
        },
        FRAMEWORK,
    ]
}
DESIGN = {
    "id": "design",
    "kind": "decision",
    "title": "Design choices",
    "url": "docs/design.md",
    "anchor_pattern": "[a-z0-9-]+",
}
DECISION = {"source": "design", "anchor": "counting-from-zero-or-not"}

OPERATIONS = """# Operations
### `data.range`
| argument | type | meaning |
|---|---|---|
| stop | integer | the end |
| kind | choice: up, down; optional | which way |

Gives: numbers.

### `data.each`
| argument | type | meaning |
|---|---|---|
| of | name | numbers |
| as | binding | one of them |
| program | program | the block |

Gives: nothing.

### `data.show`
| argument | type | meaning |
|---|---|---|
| of | value | anything |

Gives: it.
"""
INTENTS = """# Intents
### `train.batches`

Gives: a number.
"""

CONVENTIONS = {
    "conventions": [
        {
            "id": "remainder",
            "question": "What?",
            "porting": [{"from": "split", "to": "pad", "note": "Count."}],
            "values": [{"id": "split", "means": "It is split."}, {"id": "pad", "means": "It is filled up."}],
        }
    ]
}

CASE = {
    "id": "input/numbers/range_counts_from_zero",
    "level": "required",
    "states": "A range holds the numbers from zero to the one before its end.",
    "cites": [{"source": "guide", "anchor": "split"}, {"source": "issues", "anchor": "some/project#7"}],
    "given": {"strategy": "mirrored", "replicas": 2},
    "program": [
        {"let": "numbers", "step": "data.range", "stop": 2},
        {
            "step": "data.each",
            "of": "numbers",
            "as": "number",
            "program": [{"observe": "seen", "step": "data.show", "of": "number"}],
        },
    ],
    "expect": [{"observation": "seen", "equals": [0, 1]}],
}


OF_INTENTS = {
    **CASE,
    "id": "training/batches/one_is_trained",
    "states": "A training takes its first batch.",
    "level": "observed",
    "cites": [{"source": "framework", "anchor": "tf.data"}],
    "program": [{"observe": "batch", "step": "train.batches"}],
    "expect": [{"observation": "batch", "equals": 1}],
}


class CheckCasesTest(source_tree.PlantedTree):
    """Plants a small conformance folder, spoils one thing, and reads what is said of it."""

    def setUp(self):
        super().setUp()
        self.case = copy.deepcopy(CASE)
        schema = "conformance/schemas/sources.schema.json"
        with open(schema, encoding="utf-8") as stream:
            self.plant(schema, stream.read())
        self.plant("conformance/sources.json", case_format.dump(SOURCES))
        self.plant("conformance/operations.md", OPERATIONS)
        self.plant("conformance/intents.md", INTENTS)
        self.plant_of_intents(OF_INTENTS)
        self.plant("conformance/conventions.json", case_format.dump(CONVENTIONS))

    def plant_of_intents(self, case):
        document = {"topic": "Batches of a training", "cases": [case]}
        self.plant("conformance/cases/training/batches.json", case_format.dump(document))

    def problems(self, *more_cases, path="input/numbers", topic="Numbers in order"):
        document = {"topic": topic, "cases": [self.case, *more_cases]}
        self.plant("conformance/cases/%s.json" % path, case_format.dump(document))
        return check_cases.check(self.root)

    def assert_refused(self, words, *more_cases, **options):
        problems = self.problems(*more_cases, **options)
        self.assertIn(words, "\n".join(problems))
        self.assertEqual(len(problems), 1, problems)

    def test_right_case_passes(self):
        self.assertEqual(self.problems(), [])

    def test_what_the_runner_refuses(self):
        self.case["program"].append({"step": "data.guess"})
        self.assert_refused("program[2].step: unknown step 'data.guess'")
        self.case["program"].pop()
        self.plant("conformance/cases/input/other.json", '{"topic": ')
        self.assert_refused("other.json")

    def test_what_is_not_filled_in(self):
        self.case["level"] = placeholder.fill("how binding it is")
        self.case["expect"][0]["equals"] = placeholder.fill("the value")
        self.assertEqual(
            [problem.split(":", 2)[2] for problem in self.problems()],
            [" not filled in: how binding it is", " not filled in: the value"],
        )
        self.assertIn("conformance/cases/input/numbers.json:6: ", self.problems()[0])

    def test_lengths(self):
        self.case["expect"][0]["because"] = "so"
        self.assert_refused("reason: 2 characters, wanted 10 to any")
        del self.case["expect"][0]["because"]
        self.case["states"] = "It ends."
        self.assert_refused("states: 8 characters, wanted 20 to 160")

    def test_written_otherwise(self):
        self.plant(
            "conformance/cases/input/numbers.json",
            json.dumps({"topic": "Numbers in order", "cases": [self.case]}, indent=8),
        )
        self.assertIn("not written as the tool writes it", check_cases.check(self.root)[0])
        self.assertEqual(check_cases.fix(self.root), [])
        self.assertEqual(check_cases.check(self.root), [])

    def test_unknown_area(self):
        self.case["id"] = "kitchen/numbers/range_counts_from_zero"
        self.assert_refused("no area: kitchen", path="kitchen/numbers")

    def test_long_claim(self):
        self.case["id"] += "_" * 60
        self.assert_refused("longer than 60")

    def test_statement_twice(self):
        other = dict(self.case, id=self.case["id"] + "_too")
        self.assert_refused("the statement is also in", other)

    def test_topic_twice(self):
        self.problems()
        self.case.update(id="input/more/range_ends", states="A range ends before its end.")
        self.assert_refused("the topic is also in", path="input/more")

    def test_states_rules(self):
        for states, words in (
            ("A range should hold the numbers from zero.", "not what should be"),
            ("A range holds the numbers from zero", "no full stop"),
            ("a range holds the numbers from zero.", "no capital"),
            ("A range holds numbers. They begin with zero.", "more than one sentence"),
        ):
            self.case["states"] = states
            self.assert_refused(words)

    def test_unknown_anchor(self):
        self.case["cites"][0]["anchor"] = "elsewhere"
        self.assert_refused("guide has no anchor elsewhere")

    def test_anchor_of_no_issue(self):
        self.case["cites"][1]["anchor"] = "number seven"
        self.assert_refused("no anchor of issues")

    def test_required_without_a_document(self):
        self.case["cites"] = self.case["cites"][1:]
        self.assertIn("what is of level required cites a source of kind document", "\n".join(self.problems()))

    def test_what_only_a_guide_states_is_recommended_at_most(self):
        guide = SOURCES["sources"][0]
        self.plant(
            "conformance/sources.json",
            case_format.dump({"sources": [dict(guide, kind="guide"), *SOURCES["sources"][1:]]}),
        )
        self.assert_refused("what is of level required cites a source of kind document")
        self.case["level"] = "recommended"
        self.assertEqual(self.problems(), [])

    def test_what_is_observed_cites_who_shows_it(self):
        self.case["expect"].append({"observation": "seen", "same_multiset": [0, 1], "level": "observed"})
        self.assert_refused("what is of level observed cites a source of kind implementation")
        self.case["cites"].append({"source": "framework", "anchor": "tf.range"})
        self.assertEqual(self.problems(), [])

    def test_an_uncited_source(self):
        self.case["cites"] = self.case["cites"][:1]
        self.assert_refused("no case cites issues")

    def test_an_unused_step(self):
        self.plant("conformance/operations.md", OPERATIONS + "### `data.idle`\nGives: nothing.\n")
        self.assert_refused("no case uses data.idle")

    def test_call_in_a_program_of_intents(self):
        self.plant_of_intents(
            {
                **CASE,
                **OF_INTENTS,
                "program": CASE["program"] + OF_INTENTS["program"],
                "expect": CASE["expect"] + OF_INTENTS["expect"],
            }
        )
        problems = "\n".join(self.problems())
        self.assertIn("one_is_trained: program: data.range is a call, and not in the tier of intents", problems)

    def plant_decisions(self):
        self.plant("conformance/sources.json", case_format.dump({"sources": [*SOURCES["sources"], DESIGN]}))
        self.plant("docs/design.md", "# Design\n\n## Counting: from zero, or not\n")

    def test_what_is_decided_cites_where(self):
        self.case["expect"].append({"observation": "seen", "same_multiset": [0, 1], "level": "decision"})
        self.assert_refused("what is of level decision cites a source of kind decision")
        self.plant_decisions()
        self.case["cites"].append(DECISION)
        self.assertEqual(self.problems(), [])
        self.case["cites"][-1]["anchor"] = "counting"
        self.assert_refused("docs/design.md has no heading #counting")

    def test_a_decision_needs_no_document(self):
        self.plant_decisions()
        self.case["level"] = "decision"
        self.case["cites"][0] = DECISION
        self.assert_refused("no case cites guide")
        self.assertEqual(len(self.problems()), 1)

    def test_equals_that_never_holds(self):
        self.case["expect"] = [{"observation": "seen", "equals": [0, 0.7]}]
        self.assert_refused("0.7 is no float32")


def expect(value, **when):
    return {"observation": "sizes", "equals": value, **({"when": when} if when else {})}


class CheckDialectsTest(source_tree.PlantedTree):
    """What a testee may declare, against what the cases expect of it."""

    def setUp(self):
        super().setUp()
        self.plant("conformance/conventions.json", case_format.dump(CONVENTIONS))
        self.expectations = [expect([2, 1], remainder="split"), expect([2, 2], remainder="pad")]

    def problems(self, level="required"):
        case = {"id": "input/a/b", "level": level, "expect": self.expectations}
        self.plant("conformance/cases/input/a.json", case_format.dump({"cases": [case]}))
        return check_dialects.check(self.root)

    def assert_problems(self, *problems, level="required"):
        self.assertEqual(self.problems(level), list(problems))

    @staticmethod
    def alike(value, other):
        return "conventions.json: no expectation for remainder: %s is broken by the answer of remainder: %s" % (
            value,
            other,
        )

    def both_alike(self):
        return [self.alike("split", "pad"), self.alike("pad", "split")]

    def test_each_value_has_its_answer(self):
        self.assert_problems()

    def test_an_error_and_an_answer_differ(self):
        error = {"error": "InvalidArgument", "at_step": "input.elements", "when": {"remainder": "pad"}}
        self.expectations[1] = error
        self.assert_problems()
        self.expectations[0] = dict(error, when={"remainder": "split"})
        self.assert_problems(*self.both_alike())

    def test_values_in_any_order_are_distinguished_by_content(self):
        self.expectations[1] = {"observation": "sizes", "same_multiset": [1, 2], "when": {"remainder": "pad"}}
        self.assert_problems(*self.both_alike())
        self.expectations[1]["same_multiset"] = [2, 2]
        self.assert_problems()

    def test_nothing_counts_for_no_value(self):
        self.expectations[0]["equals"] = [2, [1, None]]
        self.expectations[1] = {"observation": "sizes", "same_multiset": [1, 2], "when": {"remainder": "pad"}}
        self.assert_problems(*self.both_alike())

    def test_no_case_goes_unjudged(self):
        del self.expectations[1]
        self.assert_problems("input/a/b: nothing is judged for remainder: pad", *self.both_alike())

    def test_what_holds_for_all_judges_all(self):
        self.expectations = [expect([1])]
        self.assert_problems(*self.both_alike())

    def test_two_values_that_nothing_tells_apart(self):
        self.expectations[1]["equals"] = [2, 1]
        self.assert_problems(*self.both_alike())

    def test_what_is_not_judged_tells_nothing_apart(self):
        self.assert_problems(*self.both_alike(), level="observed")

    def test_several_values_share_an_answer(self):
        self.expectations[0]["when"] = {"remainder": ["split", "pad"]}
        del self.expectations[1]
        self.assert_problems(*self.both_alike())

    def test_all_but_some_values_have_an_answer(self):
        self.expectations[1]["when"] = {"remainder": {"not": "split"}}
        self.assert_problems()
        self.expectations[1]["when"] = {"remainder": {"not": ["pad"]}}
        self.assert_problems("input/a/b: nothing is judged for remainder: pad", *self.both_alike())

    def test_two_values_at_once_are_no_difference_of_one(self):
        empty = {"id": "empty", "values": [{"id": "batch"}, {"id": "error"}]}
        self.plant(
            "conformance/conventions.json", case_format.dump({"conventions": [*CONVENTIONS["conventions"], empty]})
        )
        self.expectations = [
            expect([2, 1], remainder="split", empty="batch"),
            expect([2, 2], remainder="pad", empty="error"),
        ]
        self.assertEqual(
            self.problems(),
            [
                "input/a/b: nothing is judged for empty: batch, remainder: pad",
                "input/a/b: nothing is judged for empty: error, remainder: split",
                *self.both_alike(),
                "conventions.json: no expectation for empty: batch is broken by the answer of empty: error",
                "conventions.json: no expectation for empty: error is broken by the answer of empty: batch",
            ],
        )


class CasesTest(unittest.TestCase):
    maxDiff = None

    def test_no_case_is_refused(self):
        self.assertEqual("\n".join(check_cases.check(os.getcwd())), "")

    def test_no_convention_is_refused(self):
        self.assertEqual("\n".join(check_conventions.check(os.getcwd())), "")

    def test_every_declaration_is_checked(self):
        self.assertEqual("\n".join(check_dialects.check(os.getcwd())), "")

    def test_no_deviation_and_no_testee_is_refused(self):
        self.assertEqual("\n".join(check_deviations.check(os.getcwd())), "")


if __name__ == "__main__":
    xml_unittest.main()
