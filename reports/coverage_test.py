"""The pages about documented statements: their coverage, and the porting guide."""

import contextlib
import io
import json
import os
import tempfile
import unittest
from unittest import mock

from reports import command, coverage, page, porting_guide
from reports.catalogue import Catalogue
from reports.conformance_result_testing import case, deviation, result, write
from reports.coverage_count import CoverageCount
from reports.dialect_difference import DialectDifference
from reports.html_testing import Page
from tools import xml_unittest

SOURCES = {
    "sources": [
        {
            "id": "guide",
            "kind": "document",
            "title": "A guide to <things>",
            "url": "https://example.org/guide",
            "anchors": {"split": "How batches are split."},
        },
        {
            "id": "book",
            "kind": "document",
            "title": "A book of things",
            "url": "https://example.org/book",
            "anchors": {"Cell7": "Everything else there is."},
        },
    ]
}
GROUPS = [{"id": "LOSS", "title": "Losses"}, {"id": "INPUT-ITER", "title": "Reading it"}]


def statement(claim, group="LOSS", source="guide", **fields):
    anchor = {"guide": "split", "book": "Cell7"}[source]
    return {
        "id": f"{source}/{claim}",
        "source": source,
        "anchor": anchor,
        "states": f"It is true that {claim} holds.",
        "level": "required",
        "group": group,
        **fields,
    }


STATEMENTS = [
    statement("one", "INPUT-ITER"),
    statement("two", planned="comes <later>"),
    statement("three"),
    statement("four", source="book", planned="comes <later>"),
]


def plant(statements, cases):
    """A conformance folder with these statements and {file: cases}."""
    folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
    files = {
        "sources.json": SOURCES,
        "statements.json": {"groups": GROUPS, "statements": statements},
        **{f"cases/{name}.json": {"cases": found} for name, found in cases.items()},
    }
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file)
    return folder


def counted(case_id, *holds, level="required"):
    return {"id": case_id, "level": level, **({"holds": list(holds)} if holds else {})}


CASES = {
    "loss/a": [counted("loss/a/x", "guide/three"), counted("loss/a/y", level="observed")],
    "input/a": [counted("input/a/x", "guide/one", "guide/three")],
}


class CoverageTest(unittest.TestCase):
    def setUp(self):
        self.folder = plant(STATEMENTS, CASES)
        self.count = CoverageCount(Catalogue(self.folder))

    def test_counts_by_source_and_group(self):
        self.assertEqual(self.count.total, {"covered": 2, "planned": 2})
        self.assertEqual(self.count.by_source["book"], {"planned": 1})
        self.assertEqual(self.count.by_group["LOSS"], {"covered": 1, "planned": 2})
        self.assertEqual(
            list(self.count.by_source_and_group.items()),
            [
                (("guide", "LOSS"), {"planned": 1, "covered": 1}),
                (("guide", "INPUT-ITER"), {"covered": 1}),
                (("book", "LOSS"), {"planned": 1}),
            ],
        )

    def test_counts_reasons(self):
        self.assertEqual(self.count.reasons, {"comes <later>": 2})

    def test_a_statement_knows_the_cases_that_hold_it(self):
        self.assertEqual(
            [s["cases"] for s in self.count.catalogue.statements], [["input/a/x"], [], ["input/a/x", "loss/a/x"], []]
        )

    def test_finds_cases_that_hold_no_statement(self):
        self.assertEqual(
            self.count.unstated, {"required": [], "recommended": [], "decision": [], "observed": ["loss/a/y"]}
        )

    def test_a_statement_that_does_not_exist_is_not_covered(self):
        statements = [statement("one"), statement("two", planned="comes later")]
        cases = {"loss/a": [counted("loss/a/x", "guide/gone")]}
        count = CoverageCount(Catalogue(plant(statements, cases)))
        self.assertEqual(count.total, {"missing": 1, "planned": 1})
        self.assertEqual(count.unknown, [("loss/a/x", "guide/gone")])
        self.assertIn("loss/a/x: no statement is called guide/gone", coverage.build("coverage.txt.j2", count))
        text = Page(coverage.build("coverage.html.j2", count)).text
        self.assertIn("loss/a/x: guide/gone", text)
        self.assertIn("missing", text)

    def test_text_is_a_table(self):
        text = coverage.build("coverage.txt.j2", self.count)
        self.assertRegex(text, r"\nguide +LOSS +1 +1 +0\n")
        self.assertRegex(text, r"\nall +2 +2 +0\n")
        self.assertIn("    2  comes <later>\n", text)
        self.assertIn("observed that hold no statement: 1 of 1", text)

    def test_markdown_is_tables(self):
        text = coverage.build("coverage.md.j2", self.count)
        self.assertIn("| Losses | 1 | 2 | 0 |\n", text)
        self.assertIn("| [A book of things](https://example.org/book) | 0 | 1 | 0 |\n", text)

    def test_page_is_well_formed_and_alone(self):
        found = Page(coverage.build("coverage.html.j2", self.count))
        self.assertEqual(found.problems, [])
        self.assertEqual(found.fetched, [])
        self.assertEqual(len(found.ids), len(set(found.ids)))
        for words in ("A guide to <things>", "It is true that three holds.", "planned: comes <later>", "loss/a/y"):
            self.assertIn(words, found.text)

    def test_page_leads_to_the_documents(self):
        links = Page(coverage.build("coverage.html.j2", self.count)).links
        self.assertIn("https://example.org/guide#split", links)
        self.assertIn("https://example.org/book", links)
        self.assertNotIn("https://example.org/book#Cell7", links)

    def run_main(self, *arguments):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = coverage.main([f"--conformance={self.folder}", *arguments])
        return status, out.getvalue()

    def test_main_writes_json(self):
        path = os.path.join(self.folder, "out.json")
        self.assertEqual(self.run_main(f"--json={path}")[0], 0)
        with open(path, encoding="utf-8") as file:
            written = json.load(file)
        self.assertEqual(written["statements"], {"covered": 2, "planned": 2, "missing": 0})
        self.assertEqual(written["planned"], [{"reason": "comes <later>", "statements": 2}])
        self.assertEqual(written["cases_without_statement"]["observed"], ["loss/a/y"])

    def test_main_names_a_malformed_file(self):
        path = os.path.join(self.folder, "statements.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"groups": GROUPS, "statements": [{"id": "x"}]}, file)
        status, text = self.run_main()
        self.assertEqual(status, 1)
        self.assertIn(f'{path} at $["statements"][0]', text)


class OwnFilesTest(unittest.TestCase):
    def test_the_project_s_own_files_can_be_reported_on(self):
        count = CoverageCount(Catalogue(command.conformance_path()))
        self.assertEqual(count.unknown, [])
        self.assertEqual(count.total["missing"], 0)
        self.assertEqual(Page(coverage.build("coverage.html.j2", count)).problems, [])


class PageTest(unittest.TestCase):
    def test_a_cell_of_a_table_stays_one(self):
        self.assertEqual(page.table_cell("a | b\n c"), "a \\| b c")


CONVENTIONS = [
    {
        "id": "gradient_combination",
        "question": "How are gradients combined?",
        "values": [{"id": "sum", "means": "They are added."}, {"id": "mean", "means": "They are averaged."}],
        "porting": [{"from": "sum", "to": "mean", "note": "Average | the loss."}],
    },
    {
        "id": "remainder",
        "question": "What of the rest?",
        "values": [{"id": "split", "means": "It is split."}, {"id": "drop", "means": "It is dropped."}],
        "porting": [
            {"from": "split", "to": "drop", "note": "Expect less."},
            {"from": "pad", "to": "split", "note": "Expect no more."},
        ],
    },
    {
        "id": "initial_values",
        "question": "When are they equal?",
        "values": [{"id": "at_once", "means": "At once."}, {"id": "late", "means": "Late."}],
        "porting": [{"from": "at_once", "to": "late", "note": "Wait."}],
    },
]
SUMMED = {"expect": [{"observation": "sizes", "equals": 3, "when": {"gradient_combination": "sum"}}]}


def testee(name, implementation, cases, **conventions):
    found = result(name, implementation, cases)
    found["testee"]["conventions"] = conventions
    return found


def old():
    return testee(
        "tensorflow",
        "TensorFlow 2.21.0",
        [
            case("summed", **SUMMED),
            case("gathered"),
            case("joined"),
            case("split"),
            case("odd", "failed", deviation=deviation(reason="An old defect.")),
            case("lost", "unsupported"),
            case("alone"),
        ],
        remainder="drop",
    )


def new():
    return testee(
        "pytorch_ddp",
        "PyTorch 2.11.0",
        [
            case("summed", **SUMMED),
            case("gathered", "unsupported"),
            case("joined", "unsupported"),
            case("odd"),
            case("lost", "unsupported"),
            case("split", "failed", deviation=deviation(reason="It pads.")),
        ],
        gradient_combination="mean",
        remainder="split",
        initial_values="late",
    )


def difference(source=None, target=None):
    return DialectDifference(source or old(), target or new(), CONVENTIONS)


def ids(pairs):
    return [pair["case"]["id"].split("/")[-1] for pair in pairs]


class DialectDifferenceTest(unittest.TestCase):
    def test_finds_conventions_declared_otherwise(self):
        found = difference().conventions
        self.assertEqual(
            [(f["convention"]["id"], f["from"]["id"], f["to"]["id"], f["note"]) for f in found],
            [
                ("gradient_combination", "sum", "mean", "Average | the loss."),
                ("remainder", "drop", "split", None),
                ("initial_values", "at_once", "late", "Wait."),
            ],
        )
        self.assertEqual(ids(found[0]["cases"]), ["summed"])
        self.assertEqual(found[1]["cases"], [])

    def test_what_is_not_declared_is_as_documented(self):
        same = difference(old(), old())
        self.assertEqual(same.conventions, [])
        self.assertEqual(
            [(c["id"], value["id"]) for c, value in same.same],
            [("gradient_combination", "sum"), ("remainder", "drop"), ("initial_values", "at_once")],
        )

    def test_finds_what_only_the_target_does_not_support(self):
        steps = difference().missing_steps
        self.assertEqual(list(steps), ["input.batch_sizes"])
        entry = steps["input.batch_sizes"]
        self.assertEqual(ids(entry["cases"]), ["gathered", "joined"])
        self.assertEqual(entry["reasons"], ["it has no batches"])

    def test_finds_what_behaves_otherwise(self):
        self.assertEqual(ids(difference().behaviours), ["split"])
        self.assertEqual(ids(difference().gained), ["odd"])

    def test_says_what_differs_where_no_deviation_says_why(self):
        target = result("new", "New 1.0", [case("split", "failed")])
        found = difference(target=target).behaviours
        self.assertEqual([pair["why"] for pair in found], ["at [1][0]: expected 1, observed 2"])


class PortingGuideTest(unittest.TestCase):
    def test_markdown_says_what_to_change_and_why(self):
        text = porting_guide.build("porting_guide.md.j2", difference())
        for words in (
            "# From TensorFlow to PyTorch\n",
            "- TensorFlow: They are added.\n- PyTorch: They are averaged.\n",
            "**Change:** Average | the loss.\n",
            "**Change:** Nothing is noted for this way",
            "| `input/rebatch/summed` A batch is summed. | passed | passed |\n",
            "| `input.batch_sizes` | it has no batches | 2 |\n",
            "| `input/rebatch/split` A batch is split. | required | failed | It pads. |\n",
            "| `input/rebatch/odd` A batch is odd. | required | failed | An old defect. |\n",
            "No convention is shared.",
        ):
            self.assertIn(words, text)

    def test_page_is_well_formed_and_says_the_same(self):
        page = Page(porting_guide.build("porting_guide.html.j2", difference()))
        self.assertEqual(page.problems, [])
        self.assertEqual(page.fetched, [])
        for words in (
            "From TensorFlow to PyTorch",
            "Change: Average | the loss.",
            "it has no batches",
            "It pads.",
            "An old defect.",
        ):
            self.assertIn(words, page.text)

    def test_two_of_a_kind_differ_in_nothing(self):
        for template in ("porting_guide.md.j2", "porting_guide.html.j2"):
            text = porting_guide.build(template, difference(old(), old()))
            self.assertIn("Both declare the same conventions.", text)
            self.assertIn("It is dropped.", text)
            self.assertEqual(text.count("None."), 2)

    def test_the_project_s_conventions_note_both_ways(self):
        for convention in porting_guide.load_conventions():
            documented, *others = [value["id"] for value in convention["values"]]
            noted = {(p["from"], p["to"]) for p in convention["porting"]}
            for other in others:
                self.assertIn((documented, other), noted, convention["id"])
                self.assertIn((other, documented), noted, convention["id"])

    @mock.patch.object(porting_guide, "load_conventions", lambda: CONVENTIONS)
    def test_main_prints_or_says_what_is_wrong(self):
        source, target = write(old()), write(new())
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            statuses = [
                porting_guide.main([f"--from={source}", f"--to={target}"]),
                porting_guide.main([f"--from={source}", "--to=/no/such/file.json"]),
            ]
        self.assertEqual(statuses, [0, 1])
        self.assertIn("# From TensorFlow to PyTorch", out.getvalue())
        self.assertIn("/no/such/file.json: No such file", out.getvalue())


if __name__ == "__main__":
    xml_unittest.main()
