import contextlib
import io
import json
import os
import tempfile
import unittest

from reports import command, coverage, page
from reports.catalogue import Catalogue
from reports.coverage_count import CoverageCount
from reports.html_testing import Page
from tools import xml_unittest

SOURCES = {"sources": [
    {"id": "guide", "kind": "document", "title": "A guide to <things>",
     "url": "https://example.org/guide", "anchors": {"split": "How batches are split."}},
    {"id": "book", "kind": "document", "title": "A book of things",
     "url": "https://example.org/book", "anchors": {"Cell7": "Everything else there is."}},
]}
GROUPS = [{"id": "LOSS", "title": "Losses"}, {"id": "INPUT-ITER", "title": "Reading it"}]


def statement(claim, group="LOSS", source="guide", **fields):
    anchor = {"guide": "split", "book": "Cell7"}[source]
    return {"id": f"{source}/{claim}", "source": source, "anchor": anchor,
            "states": f"It is true that {claim} holds.", "level": "required",
            "group": group, **fields}


STATEMENTS = [
    statement("one", "INPUT-ITER", cases=["input/a/x"]),
    statement("two", planned="comes <later>"),
    statement("three", cases=["loss/a/x", "input/a/x"]),
    statement("four", source="book", planned="comes <later>"),
]


def plant(statements, cases):
    """A conformance folder with these statements and {file: cases}."""
    folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
    files = {"sources.json": SOURCES,
             "statements.json": {"groups": GROUPS, "statements": statements},
             **{f"cases/{name}.json": {"cases": found} for name, found in cases.items()}}
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file)
    return folder


def case(case_id, level="required"):
    return {"id": case_id, "level": level}


CASES = {"loss/a": [case("loss/a/x"), case("loss/a/y", "observed")],
         "input/a": [case("input/a/x")]}


class CoverageTest(unittest.TestCase):
    def setUp(self):
        self.folder = plant(STATEMENTS, CASES)
        self.count = CoverageCount(Catalogue(self.folder))

    def test_counts_by_source_and_group(self):
        self.assertEqual(self.count.total, {"covered": 2, "planned": 2})
        self.assertEqual(self.count.by_source["book"], {"planned": 1})
        self.assertEqual(self.count.by_group["LOSS"], {"covered": 1, "planned": 2})
        self.assertEqual(list(self.count.by_source_and_group.items()), [
            (("guide", "LOSS"), {"planned": 1, "covered": 1}),
            (("guide", "INPUT-ITER"), {"covered": 1}),
            (("book", "LOSS"), {"planned": 1})])

    def test_counts_reasons(self):
        self.assertEqual(self.count.reasons, {"comes <later>": 2})

    def test_finds_cases_that_no_statement_names(self):
        self.assertEqual(self.count.unstated, {
            "required": [], "recommended": [], "observed": ["loss/a/y"]})

    def test_a_case_that_does_not_exist_covers_nothing(self):
        statements = [statement("one", cases=["loss/a/gone"]),
                      statement("two", planned="comes later")]
        count = CoverageCount(Catalogue(plant(statements, CASES)))
        self.assertEqual(count.total, {"missing": 1, "planned": 1})
        self.assertEqual(count.unknown, [("guide/one", "loss/a/gone")])
        self.assertIn("guide/one: no case is called loss/a/gone",
                      coverage.build("coverage.txt.j2", count))
        text = Page(coverage.build("coverage.html.j2", count)).text
        self.assertIn("guide/one: loss/a/gone", text)
        self.assertIn("missing", text)

    def test_text_is_a_table(self):
        text = coverage.build("coverage.txt.j2", self.count)
        self.assertRegex(text, r"\nguide +LOSS +1 +1 +0\n")
        self.assertRegex(text, r"\nall +2 +2 +0\n")
        self.assertIn("    2  comes <later>\n", text)
        self.assertIn("observed that no statement names: 1 of 1", text)

    def test_markdown_is_tables(self):
        text = coverage.build("coverage.md.j2", self.count)
        self.assertIn("| Losses | 1 | 2 | 0 |\n", text)
        self.assertIn("| [A book of things](https://example.org/book) | 0 | 1 | 0 |\n", text)

    def test_page_is_well_formed_and_alone(self):
        found = Page(coverage.build("coverage.html.j2", self.count))
        self.assertEqual(found.problems, [])
        self.assertEqual(found.fetched, [])
        self.assertEqual(len(found.ids), len(set(found.ids)))
        for words in ("A guide to <things>", "It is true that three holds.",
                      "planned: comes <later>", "loss/a/y"):
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
        self.assertEqual(written["planned"],
                         [{"reason": "comes <later>", "statements": 2}])
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


if __name__ == "__main__":
    xml_unittest.main()
