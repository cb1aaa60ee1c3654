import contextlib
import io
import os
import tempfile
import unittest

from reports import conformance_matrix, conformance_result
from reports.conformance_result_testing import VERDICTS, case, deviation, result, write
from reports.html_testing import Page
from reports.matrix_table import MatrixTable
from tools import xml_unittest

STATEMENTS = [
    {"states": "A document <says> so.", "source": "distributed_input",
     "cases": ["input/rebatch/split"]},
    {"states": "Nobody holds this.", "source": "distributed_input",
     "planned": "comes later"},
]


def results():
    every = [case(f"ends_{verdict}", verdict) for verdict in VERDICTS[1:]]
    told = case("seen", level="observed", observed_differently=True)
    odd = case("split", "failed", as_expected=False, flickers=True,
               deviation=deviation(repro="pytorch/pads.py"))
    return [result("reference", "Lockstep 0.1.0", [case("split"), told]),
            result("pytorch_ddp", "PyTorch <2.11>", [odd, *every], complete=False,
                   unexpected=[{"problem": "flickers", "subject": "input/rebatch/split",
                                "text": "repetition 2 differs"}])]


class ConformanceMatrixTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.text = conformance_matrix.build_page(MatrixTable(results()), STATEMENTS)
        self.page = Page(self.text)

    def test_is_well_formed_with_unique_ids(self):
        self.assertEqual(self.page.problems, [])
        self.assertEqual(len(self.page.ids), len(set(self.page.ids)))

    def test_needs_nothing_from_outside(self):
        self.assertEqual(self.page.fetched, [])
        self.assertNotIn("@import", self.text)
        self.assertNotIn("url(", self.text)

    def test_every_link_inside_leads_somewhere(self):
        inside = [link[1:] for link in self.page.links if link.startswith("#")]
        self.assertEqual(set(inside) - set(self.page.ids), set())
        self.assertIn("input/rebatch/split@pytorch_ddp", inside)

    def test_every_cell_opens_its_case(self):
        cells = [a for a in self.page.all("a") if a.get("class", "").startswith("s s-")]
        cases = 8
        self.assertEqual(len(cells), cases * 2)
        self.assertEqual(len(self.page.all("article")), cases)
        self.assertEqual(len(self.page.all("a", **{"class": "s s-not_run"})), 7)

    def test_headers_tell_their_scope(self):
        self.assertTrue(self.page.all("th"))
        for attributes in self.page.all("th"):
            self.assertIn(attributes.get("scope"), ("col", "row", "rowgroup"))

    def test_rows_carry_what_the_filter_asks(self):
        rows = self.page.all("tr", **{"class": "row"})
        self.assertIn({"class": "row", "data-topic": "input/rebatch",
                       "data-level": "required", "data-statuses": "passed failed"}, rows)
        options = [a.get("value") for a in self.page.all("option")]
        for verdict in VERDICTS:
            self.assertIn(verdict, options)

    def test_shows_expected_beside_observed(self):
        for words in ("sizes equals [[2, 2], [1, 1]]", "[[2, 2], [2, 0]]",
                      "at [1][0]: expected 1, observed 2", "n = dataset.range(stop=6)",
                      "observe sizes = input.batch_sizes(n)", "2 replicas: failed"):
            self.assertIn(words, self.page.text)

    def test_compares_nothing_where_there_is_no_answer(self):
        # Of the cases that did not pass, `errored` alone has an answer to compare.
        self.assertEqual(self.page.text.count("'sizes' was not observed"), 1)

    def test_shows_why_and_where(self):
        for words in ("by design: It pads | fills.", "A document <says> so.",
                      "conformance/deviations/repro/pytorch/pads.py",
                      "Not as the list of deviations says",
                      "Repetitions differ from each other", "repetition 2 differs",
                      "PyTorch <2.11>: incomplete", "a <bad> thing", "SIGSEGV", "no JSON",
                      "No answer within 30 s", "it has no batches"):
            self.assertIn(words, self.page.text)
        self.assertNotIn("Nobody holds this", self.page.text)
        self.assertIn("https://github.com/pytorch/pytorch/issues/25162", self.page.links)
        self.assertIn("https://example.org/input", self.page.links)

    def test_markdown_counts_and_tells_deviations(self):
        text = conformance_matrix.build_markdown(MatrixTable(results()))
        for line in (
            "| Lockstep | 0.1.0 | 2 of 2 | 1 of 1 | 0 of 0 | 0 of 1 | 0 | 0 |",
            "| PyTorch <2.11> |  | 3 of 7 | 0 of 7 | 0 of 0 | 0 of 0 | 1 | 1 |",
            "| area | Lockstep | PyTorch <2.11> |",
            "|---|---:|---:|",
            "| input | 2 of 2 | 0 of 7 |",
            "| input/rebatch/seen | observed | differs |  |  |  |",
            "| input/rebatch/ends_failed | required | failed |  | at [1][0]: expected 1,"
            " observed 2 |  |",
            "| input/rebatch/split | required | failed | by_design | It pads \\| fills."
            " | pytorch/pytorch#25162 |",
        ):
            self.assertIn(line + "\n", text)


class CommandLineTest(unittest.TestCase):
    def run_main(self, *arguments):
        out, complaint = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(complaint):
            status = conformance_matrix.main(arguments)
        return status, out.getvalue(), complaint.getvalue()

    def test_writes_what_is_asked_for(self):
        folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        files = [os.path.join(folder, name) for name in ("m.html", "m.md", "m.png")]
        sources = [write(r) for r in results()]
        status = self.run_main(*sources, f"--html={files[0]}", f"--markdown={files[1]}",
                               f"--png={files[2]}")
        self.assertEqual(status, (0, "", ""))
        starts = (b"<!DOCTYPE html>", b"# Conformance matrix", b"\x89PNG")
        for path, start in zip(files, starts):
            with open(path, "rb") as file:
                self.assertEqual(file.read()[: len(start)], start)

    def test_prints_the_summary(self):
        status, out, _ = self.run_main(write(results()[0]))
        self.assertEqual(status, 0)
        self.assertIn("# Conformance matrix", out)

    def test_says_where_a_result_is_wrong(self):
        path = write({**results()[0], "complete": "yes"})
        status, _, complaint = self.run_main(path)
        self.assertEqual(status, 1)
        self.assertIn(f'{path} at $["complete"]', complaint)

    def test_titles(self):
        def title(text):
            return conformance_result.title(result("x", text, []))
        self.assertEqual(title("TensorFlow 2.21.0"), ("TensorFlow", "2.21.0"))
        self.assertEqual(title("Keras 3.15.1 on TensorFlow 2.21.0"),
                         ("Keras", "3.15.1 on TensorFlow 2.21.0"))
        self.assertEqual(title("mine"), ("mine", ""))


if __name__ == "__main__":
    xml_unittest.main()
