"""The linters of statements, conventions and deviations."""

import copy
import json
import os
import unittest

from tools import placeholder, source_tree, xml_unittest
from tools.check_cases import case_format, check_cases, check_conventions, check_deviations, check_statements

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
    ]
}
CASES = {
    "topic": "Numbers in order",
    "cases": [
        {"id": "input/numbers/range_counts", "level": "required", "holds": ["guide/ranges_count"]},
        {"id": "input/numbers/range_is_quick", "level": "observed"},
    ],
}
STATEMENT = {
    "id": "guide/ranges_count",
    "source": "guide",
    "anchor": "split",
    "states": "A range counts from zero.",
    "level": "required",
    "group": "INPUT",
}
DOCUMENT = {"groups": [{"id": "INPUT", "title": "Reading things"}], "statements": [STATEMENT]}


class CheckStatementsTest(source_tree.PlantedTree):
    """Plants a small conformance folder, spoils one thing, and reads what is said of it."""

    def setUp(self):
        super().setUp()
        schema = "conformance/schemas/statements.schema.json"
        with open(schema, encoding="utf-8") as stream:
            self.plant(schema, stream.read())
        self.plant("conformance/sources.json", case_format.dump(SOURCES))
        self.document, self.cases = copy.deepcopy(DOCUMENT), copy.deepcopy(CASES)
        self.statement = self.document["statements"][0]
        self.case, self.observed = self.cases["cases"]
        self.plant_cases()

    def plant_cases(self):
        self.plant("conformance/cases/input/numbers.json", case_format.dump(self.cases))

    def problems(self):
        self.plant_cases()
        self.plant(check_statements.PATH, case_format.dump(self.document))
        return check_statements.check(self.root)

    def assert_refused(self, *words):
        problems = self.problems()
        self.assertEqual(len(problems), 1, problems)
        for word in words:
            self.assertIn(word, problems[0])

    def test_right_statement_passes(self):
        self.assertEqual(self.problems(), [])

    def test_planned_statement_passes(self):
        del self.case["holds"]
        self.statement["planned"] = "comes later"
        self.assertEqual(self.problems(), [])

    def test_neither_cases_nor_planned(self):
        del self.case["holds"]
        self.assert_refused("guide/ranges_count: no case holds it, and no `planned` says why")

    def test_cases_are_named_by_themselves_alone(self):
        self.statement["cases"] = ["input/numbers/range_counts"]
        self.assert_refused('at $["statements"][0]', "'cases' was unexpected")

    def test_both_cases_and_planned(self):
        self.statement["planned"] = "comes later"
        self.assert_refused("guide/ranges_count: is planned, and input/numbers/range_counts holds it")

    def test_statement_that_does_not_exist(self):
        self.case["holds"].append("guide/gone")
        self.assert_refused("input/numbers/range_counts: holds: no statement is called guide/gone")

    def test_cases_that_are_only_observed(self):
        self.observed["holds"] = self.case.pop("holds")
        self.assert_refused("guide/ranges_count: is required, and none of the cases that hold it is")
        self.statement["level"] = "recommended"
        self.assert_refused("guide/ranges_count: is recommended, and none of the cases that hold it is")

    def test_what_a_guide_states_is_recommended_at_most(self):
        guide = dict(SOURCES["sources"][0], kind="guide")
        self.plant("conformance/sources.json", case_format.dump({"sources": [guide]}))
        self.assert_refused("guide/ranges_count: what a guide states is recommended at most")
        self.statement["level"] = "recommended"
        self.assertEqual(self.problems(), [])

    def test_unknown_source(self):
        self.statement.update(id="book/ranges_count", source="book")
        self.assertIn("no document is called book", self.problems()[0])

    def test_source_that_is_no_document(self):
        self.statement.update(id="issues/ranges_count", source="issues", anchor="a/b#1")
        self.assertIn("no document is called issues", self.problems()[0])

    def test_unknown_anchor(self):
        self.statement["anchor"] = "join"
        self.assertIn("guide has no anchor join", self.problems()[0])

    def test_anchor_without_a_statement(self):
        self.plant(
            "conformance/sources.json",
            case_format.dump(
                {"sources": [dict(SOURCES["sources"][0], anchors={"split": "It is split.", "join": "It is joined."})]}
            ),
        )
        self.assert_refused("no statement for the anchor join of guide")

    def test_id_of_another_source(self):
        self.statement["id"] = "book/ranges_count"
        self.case["holds"] = ["book/ranges_count"]
        self.assert_refused("wanted guide/<claim>")

    def test_unknown_group(self):
        self.statement["group"] = "OUTPUT"
        self.assertIn("no group is called OUTPUT", "\n".join(self.problems()))

    def test_group_without_a_statement(self):
        self.document["groups"].append({"id": "OUTPUT", "title": "Writing things"})
        self.assert_refused("no statement is of the group OUTPUT")

    def test_id_twice(self):
        self.document["statements"].append(dict(self.statement, states="A range ends before its end."))
        self.assert_refused("stands twice: guide/ranges_count")

    def test_sentence_twice(self):
        self.document["statements"].append(dict(self.statement, id="guide/ranges_count_again"))
        self.case["holds"].append("guide/ranges_count_again")
        self.assert_refused("stands twice: guide: A range counts from zero.")

    def test_sentence_that_says_what_ought_to_be(self):
        self.statement["states"] = "A range should count from zero."
        self.assert_refused("states: says what is, not what should be")

    def test_written_otherwise(self):
        self.plant(check_statements.PATH, json.dumps(DOCUMENT, indent=8))
        self.assertIn("not written as the tool writes it", check_statements.check(self.root)[0])
        self.assertEqual(check_cases.fix(self.root), [])
        self.assertEqual(check_statements.check(self.root), [])


class OwnStatementsTest(unittest.TestCase):
    maxDiff = None

    def test_no_statement_is_refused(self):
        self.assertEqual("\n".join(check_statements.check(os.getcwd())), "")


CONVENTIONS = {
    "conventions": [
        {
            "id": "remainder",
            "question": "What of the rest?",
            "values": [{"id": "split", "means": "It is split."}, {"id": "pad", "means": "It is filled up."}],
            "porting": [
                {"from": "split", "to": "pad", "note": "Count afresh."},
                {"from": "pad", "to": "split", "note": "Count again."},
            ],
        }
    ]
}


class CheckConventionsTest(source_tree.PlantedTree):
    """Plants a conventions.json, spoils one thing, and reads what is said of it."""

    def setUp(self):
        super().setUp()
        with open(check_conventions.SCHEMA, encoding="utf-8") as stream:
            self.plant(check_conventions.SCHEMA, stream.read())
        self.document = copy.deepcopy(CONVENTIONS)
        self.remainder = self.document["conventions"][0]

    def assert_problems(self, *words):
        self.plant(check_conventions.PATH, case_format.dump(self.document))
        problems = check_conventions.check(self.root)
        self.assertEqual(len(problems), len(words), problems)
        for problem, word in zip(problems, words):
            self.assertIn(word, problem)

    def test_right_conventions_pass(self):
        self.assert_problems()
        self.assertEqual(check_conventions.load_values(self.root), {"remainder": ["split", "pad"]})

    def test_schema_names_the_place(self):
        self.remainder["question"] = "The rest."
        self.assert_problems('at $["conventions"][0]["question"]')

    def test_convention_twice(self):
        self.document["conventions"].append(self.remainder)
        self.assert_problems("remainder: stands here twice")

    def test_value_twice(self):
        self.remainder["values"].append({"id": "pad", "means": "It is padded."})
        self.assert_problems("a value stands here twice")

    def test_note_twice(self):
        self.remainder["porting"].append(self.remainder["porting"][0])
        self.assert_problems("a note for porting stands here twice")

    def test_note_between_what_are_no_values(self):
        for source, target in (("split", "eat"), ("pad", "pad")):
            self.remainder["porting"][2:] = [{"from": source, "to": target, "note": "Do not."}]
            self.assert_problems("from %s to %s, which are not two of its values" % (source, target))

    def test_missing_note(self):
        del self.remainder["porting"][1]
        self.assert_problems("no note for porting from pad to split")

    def test_written_otherwise(self):
        self.plant(check_conventions.PATH, case_format.dump(self.document) + "\n")
        self.assertIn("not written as the tool writes it", check_conventions.check(self.root)[0])

    def test_malformed(self):
        self.plant(check_conventions.PATH, '{"conventions": ')
        self.assertIn("Expecting value", check_conventions.check(self.root)[0])


ENTRY = {
    "kind": "defect",
    "reason": "It adds one too many each time.",
    "references": ["https://example.org/1"],
    "script": "conformance/defects/mini/adds.py",
    "cases": ["a/b/c"],
}
DEFECT = {"script": "mini/adds.py", "framework": "mini", "state": "open", "shows": "it adds one too many", "report": ""}
TESTEES = {"testees": [{"name": "mini", "means": "A small one.", "command": ["sh", "mini.sh"]}]}


class CheckDeviationsTest(source_tree.PlantedTree):
    """Plants lists and a table of testees, spoils one thing, and reads what is said of it."""

    def setUp(self):
        super().setUp()
        for path in (check_deviations.SCHEMA, check_deviations.DEFECTS_SCHEMA, check_deviations.TESTEES_SCHEMA):
            with open(path, encoding="utf-8") as stream:
                self.plant(path, stream.read())
        cases = {"cases": [{"id": case_id, "program": [{"step": "data.x"}]} for case_id in ("a/b/c", "a/b/d")]}
        self.plant("conformance/cases/a/b.json", case_format.dump(cases))
        self.plant("conformance/operations.md", "### `data.x`\n")
        self.plant("conformance/intents.md", "### `data.y`\n")
        self.plant("conformance/defects/readme.py")
        self.plant("conformance/defects/mini/adds.py")
        self.defects = [copy.deepcopy(DEFECT)]
        self.entry = copy.deepcopy(ENTRY)
        self.document = {"implementation": "mini", "deviations": [self.entry], "unsupported": []}
        self.testees = copy.deepcopy(TESTEES)

    def problems(self, name="mini"):
        self.plant("conformance/deviations/%s.json" % name, case_format.dump(self.document))
        self.plant(check_deviations.DEFECTS, case_format.dump(self.defects))
        self.plant(check_deviations.TESTEES, case_format.dump(self.testees))
        return check_deviations.check(self.root)

    def assert_problems(self, *words, name="mini"):
        problems = self.problems(name)
        self.assertEqual(len(problems), len(words), problems)
        for problem, word in zip(problems, words):
            self.assertIn(word, problem)

    def test_right_list_passes(self):
        self.assert_problems()
        self.entry["cases"] = ["a/*/*"]
        self.assert_problems()
        self.entry["references"] = []
        self.assert_problems()

    def test_schema_names_the_place(self):
        self.entry["reason"] = ""
        self.assert_problems('mini.json: at $["deviations"][0]["reason"]')

    def test_neither_reference_nor_script(self):
        self.entry["references"] = []
        del self.entry["script"]
        self.assert_problems('mini.json: at $["deviations"][0]: ')

    def test_list_of_another(self):
        self.document["implementation"] = "maxi"
        self.assert_problems("is a list for maxi")

    def test_reference_has_none(self):
        self.document["implementation"] = "reference"
        self.assert_problems("the reference passes every case", name="reference")

    def test_order(self):
        self.document["deviations"].append(dict(self.entry, cases=["a/b/d"]))
        self.assert_problems()
        self.document["deviations"].reverse()
        self.assert_problems("the cases are not in order")
        self.document["deviations"] = [dict(self.entry, cases=["a/b/d", "a/b/c"])]
        self.assert_problems("the cases are not in order")

    def test_no_such_case(self):
        self.entry["cases"] = ["a/b/e"]
        self.assert_problems("a/b/e: there is no such case")

    def test_star_does_not_span_slashes(self):
        self.entry["cases"] = ["a/*/*/c"]
        self.assertIn("does not match", self.problems()[0])

    def test_listed_twice(self):
        self.document["deviations"].insert(0, dict(self.entry, cases=["a/b/*"]))
        self.assert_problems("a/b/c is listed twice: a/b/*, a/b/c")

    def test_missing_script(self):
        self.entry["script"] = "conformance/defects/mini/subtracts.py"
        self.assert_problems("conformance/defects/mini/subtracts.py: conformance/defects/defects.json has no such")

    def test_script_of_past_versions(self):
        del self.defects[0]["report"]
        self.defects[0].update(state="past", seen=[{"report": "a/b#12", "in": "1.0", "not_in": "1.1"}])
        self.assert_problems("has no such script that is open or by_design")
        del self.entry["script"]
        self.assert_problems()

    def test_script_that_nothing_is_said_of(self):
        self.plant("conformance/defects/mini/subtracts.py")
        self.assert_problems("does not say what mini/subtracts.py shows")

    def test_script_that_is_not_there(self):
        self.defects.append(dict(DEFECT, script="mini/subtracts.py"))
        self.assert_problems("there is no script mini/subtracts.py")
        self.defects.reverse()
        self.assert_problems("not in order", "there is no script mini/subtracts.py")

    def test_script_of_another_framework(self):
        self.defects[0]["framework"] = "maxi"
        self.assert_problems("mini/adds.py is in no folder maxi")

    def test_defect_without_a_report(self):
        del self.defects[0]["report"]
        self.assertIn("defects.json: at $[0]: ", self.problems()[0])

    def test_unsupported(self):
        steps = {"steps": ["data.x"], "reference": "https://example.org/2"}
        self.document["unsupported"] = [dict(steps, steps=["data.*"]), steps]
        self.assert_problems()
        self.document["unsupported"].reverse()
        self.assert_problems("the steps are not in order")
        self.document["unsupported"] = [dict(steps, steps=["data.z"])]
        self.assert_problems("data.z: there is no such step")
        self.document["unsupported"] = [dict(steps, steps=["*"])]
        self.assertIn("does not match", self.problems()[0])

    def test_what_is_not_filled_in_is_all_that_is_said(self):
        self.testees["testees"] *= 2
        self.testees["testees"][0]["means"] = placeholder.fill("which framework that is")
        self.assert_problems("not filled in: which framework that is", "not filled in: which framework that is")

    def test_testee_twice(self):
        self.testees["testees"] *= 2
        self.assert_problems("mini stands here twice")

    def test_testee_without_a_command(self):
        self.testees["testees"][0]["command"] = []
        self.assert_problems('at $["testees"][0]["command"]')


if __name__ == "__main__":
    xml_unittest.main()
