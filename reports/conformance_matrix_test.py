"""The conformance matrix: its page, its table and its badge."""

import collections
import contextlib
import io
import json
import os
import tempfile
import unittest

import matplotlib.image
import numpy

from reports import badge, conformance_matrix, conformance_result
from reports.conformance_result_testing import VERDICTS, case, deviation, result, write
from reports.html_testing import Page
from reports.json_file import ReportError
from reports.matrix_table import MatrixTable, Promise
from tools import xml_unittest

STATEMENTS = [
    {"states": "A document <says> so.", "source": "distributed_input", "cases": ["input/rebatch/split"]},
    {"states": "No case covers this.", "source": "distributed_input", "planned": "comes later", "cases": []},
]


def results():
    every = [case(f"ends_{verdict}", verdict) for verdict in VERDICTS[1:]]
    informational = case("seen", "informational", level="observed", matches=False)
    odd = case(
        "split",
        "failed",
        as_expected=False,
        flickers=True,
        deviation=deviation(script="conformance/defects/pytorch/pads.py"),
    )
    odd["runs"][0]["findings"][0]["first_difference"] = "training step 2 of <3>"
    return [
        result("reference", "Lockstep 0.1.0", [case("split"), informational]),
        result(
            "pytorch_ddp",
            "PyTorch <2.11>",
            [odd, *every],
            complete=False,
            unexpected=[{"problem": "flickers", "subject": "input/rebatch/split", "text": "repetition 2 differs"}],
        ),
    ]


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
        cases = 11
        self.assertEqual(len(cells), cases * 2)
        self.assertEqual(len(self.page.all("article")), cases)
        self.assertEqual(len(self.page.all("a", **{"class": "s s-not_run"})), 10)

    def test_headers_tell_their_scope(self):
        self.assertTrue(self.page.all("th"))
        for attributes in self.page.all("th"):
            self.assertIn(attributes.get("scope"), ("col", "row", "rowgroup"))

    def test_rows_carry_what_the_filter_asks(self):
        rows = self.page.all("tr", **{"class": "row"})
        self.assertIn(
            {
                "class": "row",
                "data-topic": "input/rebatch",
                "data-level": "required",
                "data-tier": "calls",
                "data-statuses": "passed failed",
            },
            rows,
        )
        options = [a.get("value") for a in self.page.all("option")]
        for verdict in VERDICTS:
            self.assertIn(verdict, options)

    def test_shows_expected_beside_observed(self):
        for words in (
            "sizes equals [[2, 2], [1, 1]]",
            "[[2, 2], [2, 0]]",
            "at [1][0]: expected 1, observed 2",
            "n = dataset.range(stop=6)",
            "observe sizes = input.batch_sizes(n)",
            "2 replicas: failed",
        ):
            self.assertIn(words, self.page.text)

    def test_compares_nothing_where_there_is_no_answer(self):
        # Of the cases that did not pass, `errored` alone has an answer to compare.
        self.assertEqual(self.page.text.count("'sizes' was not observed"), 1)

    def test_shows_why_and_where(self):
        for words in (
            "by design: It pads | fills.",
            "A document <says> so.",
            "Smallest script: conformance/defects/pytorch/pads.py",
            "Not as the list of deviations says",
            "Repetitions differ from each other",
            "repetition 2 differs",
            "PyTorch <2.11>: incomplete",
            "a <bad> thing",
            "SIGSEGV",
            "no JSON",
            "No answer within 30 s",
            "it has no batches",
            "first: training step 2 of <3>",
        ):
            self.assertIn(words, self.page.text)
        self.assertNotIn("No case covers this", self.page.text)
        self.assertIn("https://github.com/pytorch/pytorch/issues/25162", self.page.links)
        self.assertIn("https://example.org/input", self.page.links)

    def why(self, difference):
        finding = {"holds": False, "difference": difference}
        return conformance_result.why({"runs": [{"findings": [finding]}]})

    def test_why_leaves_out_the_lines_of_a_traceback(self):
        difference = 'Error:\n  File "a.py", line 3, in f\nEnd of sequence'
        self.assertEqual(self.why(difference), "Error:\nEnd of sequence")

    def test_why_leaves_out_the_folder_of_a_run(self):
        self.assertEqual(self.why("no /tmp/lockstep-cqC494/lockstep-klo_oo4y/nowhere here"), "no FOLDER/nowhere here")
        for kept in ("lockstep-1.0", "/tmp/lockstep-datasets-v2/x", "a lockstep-klogoo4y"):
            self.assertEqual(self.why(kept), kept)

    def test_markdown_counts_and_tells_deviations(self):
        text = conformance_matrix.build_markdown(MatrixTable(results()))
        for line in (
            "| Lockstep | 0.1.0 | 2026-01-02 | 2 of 2 | 1 of 1 | 0 of 0 | 0 of 0 | 0 of 1 | 0 | 0 |",
            "| PyTorch <2.11> |  | 2026-01-02 | 6 of 10 | 0 of 10 | 0 of 0 | 0 of 0 | 0 of 0 | 1 | 1 |",
            "| area | Lockstep | PyTorch <2.11> |",
            "|---|---:|---:|",
            "| input | 1 of 1 | 0 of 10 |",
            "| input/rebatch/seen | observed | informational, differs |  |  |  |",
            "| input/rebatch/ends_failed | required | failed |  | at [1][0]: expected 1, observed 2 |  |",
            "| input/rebatch/split | required | failed | by_design | It pads \\| fills."
            " | pytorch/pytorch#25162, conformance/defects/pytorch/pads.py |",
        ):
            self.assertIn(line + "\n", text)


class CommandLineTest(unittest.TestCase):
    def run_main(self, *arguments):
        out, complaint = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(complaint):
            status = conformance_matrix.main(arguments)
        return status, out.getvalue(), complaint.getvalue()

    def test_requested_files_are_written(self):
        folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        files = [os.path.join(folder, name) for name in ("m.html", "m.md", "m.png")]
        sources = [write(r) for r in results()]
        status = self.run_main(*sources, f"--html={files[0]}", f"--markdown={files[1]}", f"--png={files[2]}")
        self.assertEqual(status, (0, "wrote %s\nwrote %s\nwrote %s\n" % tuple(files), ""))
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

    def test_writes_a_badge_of_one_result(self):
        path = write(result("mine", "Mine 1.0", [case("x")]))
        target = path + ".svg"
        self.assertEqual(conformance_matrix.main([path, f"--svg={target}"]), 0)
        with open(target, encoding="utf-8") as stream:
            self.assertIn("<title>Mine 1.0: N replicas train as one: ", stream.read())
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as said:
            conformance_matrix.parse_arguments(["a", "b", "--svg=x.svg"])
        self.assertIn("--svg: wanted one RESULT, got 2", said.getvalue())

    def test_says_that_a_file_is_of_another_kind_or_format(self):
        for content, complaint in (
            ({"benchmarks": []}, "no result of `./bazelw run //conformance:run -- --json=FILE`"),
            ({**results()[0], "format": 1}, "wanted format 5 or 4, got 1"),
        ):
            status, _, said = self.run_main(write(content))
            self.assertEqual(status, 1)
            self.assertIn(complaint, said)

    def test_reads_the_format_before(self):
        today = results()[0]
        before = json.loads(json.dumps({**today, "format": 4}))
        for entry in [*before["cases"], *before["summary"].values()]:
            entry["as_stated"] = entry.pop("matches")
            if entry.get("verdict") == "informational":
                entry["verdict"] = "told"
            if "informational" in entry.get("verdicts", {}):
                entry["verdicts"]["told"] = entry["verdicts"].pop("informational")
        self.assertIn("told", [entry.get("verdict") for entry in before["cases"]])
        self.assertEqual(conformance_result.load(write(before)), today)

    def test_refuses_the_format_before_with_its_place(self):
        for field, wrong in (
            ("cases", 1),
            ("cases", [2]),
            ("summary", [3]),
            ("summary", {"required": {"verdicts": 4}}),
        ):
            path = write({**results()[0], "format": 4, field: wrong})
            status, _, complaint = self.run_main(path)
            self.assertEqual(status, 1)
            self.assertIn(f'{path} at $["{field}"]', complaint)

    def test_titles(self):
        def title(text):
            return conformance_result.title(result("x", text, []))

        self.assertEqual(title("TensorFlow 2.21.0"), ("TensorFlow", "2.21.0"))
        self.assertEqual(title("Keras 3.15.1 on TensorFlow 2.21.0"), ("Keras", "3.15.1 on TensorFlow 2.21.0"))
        self.assertEqual(title("mine"), ("mine", ""))


def other_topic(claim, verdict="passed"):
    return {**case(claim, verdict), "id": f"loss/average/{claim}", "topic": "Losses over the batch"}


class MatrixTableTest(unittest.TestCase):
    def test_rows_are_cases_by_area_and_topic(self):
        table = MatrixTable([result("a", "A 1.0", [case("y"), other_topic("x")])])
        self.assertEqual([area["name"] for area in table.areas], ["input", "loss"])
        topic = table.areas[1]["topics"][0]
        self.assertEqual(topic["path"], "loss/average")
        self.assertEqual(topic["title"], "Losses over the batch")
        self.assertEqual([row["case"]["id"] for row in topic["rows"]], ["loss/average/x"])

    def test_columns_keep_their_order(self):
        table = MatrixTable([result("b", "B 2.1 (x)", [case("x", "failed")]), result("a", "Anything", [case("x")])])
        self.assertEqual(
            [(c["key"], c["name"], c["version"]) for c in table.columns], [("b", "B", "2.1 (x)"), ("a", "Anything", "")]
        )
        self.assertEqual(table.rows[0]["statuses"], ["failed", "passed"])
        self.assertEqual(table.areas[0]["passed"], [(0, 1), (1, 1)])

    def test_a_case_that_one_of_them_did_not_run(self):
        table = MatrixTable([result("a", "A 1", [case("x")]), result("b", "B 1", [case("x"), case("y")])])
        self.assertEqual(table.rows[1]["statuses"], ["not_run", "passed"])
        self.assertIsNone(table.rows[1]["cells"][0]["case"])
        self.assertEqual(table.areas[0]["passed"], [(1, 1), (2, 2)])

    def test_counts_by_level(self):
        column = MatrixTable(
            [
                result(
                    "a",
                    "A 1",
                    [
                        case("p"),
                        case("f", "failed"),
                        case("u", "unsupported"),
                        case("t", "timed_out"),
                        case("r", level="recommended"),
                        case("o", "informational", level="observed"),
                        case("d", "informational", level="observed", matches=False),
                        case("c", "informational", level="decision"),
                        case("w", "warned"),
                        case("a", "warned", level="recommended"),
                    ],
                )
            ]
        ).columns[0]
        self.assertEqual(column["levels"], [(1, 5), (1, 2), (1, 1), (1, 2)])
        self.assertEqual(column["answered"], 8)
        self.assertEqual(column["counts"]["differs"], 1)
        self.assertEqual(column["required"]["passed"], 1)

    def test_counts_the_promise_apart_from_calls(self):
        intents = [case(f"i_{verdict}", verdict, tier="intents") for verdict in VERDICTS]
        advice = case("i_advice", level="recommended", tier="intents")
        column = MatrixTable([result("a", "A 1", [*intents, advice, case("x")])]).columns[0]
        self.assertEqual(column["promise"], Promise(kept=1, departed=1, broken=7, unsupported=1))
        self.assertEqual(column["calls"], {"passed": 1})

    def test_counts_kinds_of_deviations(self):
        cases = [
            case("x", "failed", deviation=deviation()),
            case("y", "errored", deviation=deviation(kind="defect")),
            case("z", "failed", deviation=deviation()),
        ]
        column = MatrixTable([result("a", "A 1", cases)]).columns[0]
        self.assertEqual(column["kinds"], {"by_design": 2, "defect": 1})

    def test_refuses_one_testee_twice(self):
        with self.assertRaisesRegex(ReportError, "two results of a"):
            MatrixTable([result("a", "A 1", []), result("a", "A 2", [])])

    def test_refuses_different_cases_of_one_id(self):
        with self.assertRaisesRegex(ReportError, "rebatch/x: 'expect' differs .* of b"):
            MatrixTable([result("a", "A 1", [case("x")]), result("b", "B 1", [case("x", expect=[])])])


GREEN = [int(badge.FILLS["kept"][i : i + 2], 16) for i in (1, 3, 5)]


def column(name, **counts):
    return {"name": name, "version": "1.0", "promise": Promise.of(collections.Counter(counts))}


def green_pixels(png):
    pixels = matplotlib.image.imread(io.BytesIO(png), format="png")[:, :, :3]
    return numpy.all(numpy.round(pixels * 255) == GREEN, axis=2)


class BadgeTest(unittest.TestCase):
    def test_bars_are_as_long_as_what_passed(self):
        picture = green_pixels(
            badge.draw([column("All", passed=10), column("Half", passed=5, failed=5), column("None", failed=10)])
        )
        widths = sorted(set(picture.sum(axis=1)))
        self.assertEqual(widths[0], 0)
        self.assertAlmostEqual(widths[-1] / widths[-2], 2, delta=0.02)

    def test_has_a_row_for_each(self):
        one, two = (
            matplotlib.image.imread(io.BytesIO(badge.draw(columns)), format="png")
            for columns in ([column("A")], [column("A"), column("B")])
        )
        self.assertGreater(two.shape[0], one.shape[0])
        self.assertEqual(two.shape[1], one.shape[1])

    def test_is_the_same_for_the_same(self):
        columns = [column("A", passed=3, crashed=1)]
        self.assertEqual(badge.draw(columns), badge.draw(columns))

    def test_says_the_rest_in_words(self):
        counts = collections.Counter(passed=3, warned=1, departed=4, unsupported=2, failed=1)
        self.assertEqual(badge.summary(Promise.of(counts)), "3 of 11 kept, 4 by convention, 2 broken, 2 unsupported")
        self.assertEqual(badge.summary(Promise.of(collections.Counter(passed=2))), "2 of 2 kept")

    def test_shows_no_number_where_all_is_kept(self):
        self.assertEqual(
            badge.describe([column("All", passed=2), column("Most", passed=2, warned=1), column("No")]),
            "All 1.0: all kept\nMost 1.0: 2 of 3 kept, 1 broken\nNo 1.0: 0 of 0 kept",
        )
        self.assertEqual(badge.draw([column("All", passed=2)]), badge.draw([column("All", passed=3)]))


if __name__ == "__main__":
    xml_unittest.main()
