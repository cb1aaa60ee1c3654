"""A history as text, Markdown and a page, and the files that a verdict goes to."""

import contextlib
import dataclasses
import datetime
import io
import json
import os
import re
import unittest

from benchmarks.gate import gate, history, verdict
from benchmarks.gate.gate_testing import MACHINE, FolderTest, jittered, line, nights, recordings
from benchmarks.gate.recording import Side
from benchmarks.gate.report import history_report, plots, verdict_report
from reports.html_testing import Page
from reports.plots.colors import themed
from tools import xml_unittest

STEP = [0.001, -0.001] * 6 + [0.021, 0.019] * 6
SKIPPED = ("[history] h: skipped line 3: not JSON",)
TAKEN = recordings(jittered(1.1))
VERDICT = verdict.judge(TAKEN)


class HistoryTextTest(unittest.TestCase):
    def test_the_latest_ratio_to_each_anchor_the_last_one_first(self):
        later = [line(None, 30, baseline=Side(("train", "--x"), "a2"))]
        lines = history_report.to_text("h.jsonl", nights([0.05, 0.01]) + later).splitlines()
        self.assertEqual(
            lines,
            [
                "h.jsonl: 3 gates, 2026-09-01 to 2026-10-01",
                "",
                "against train --x at a2",
                "  on cpu Example CPU, cores 2",
                "  Train/a  cpu    NOT JUDGED  c30 of 2026-10-01  1 gate, 0 judged",
                "",
                "against train at a1",
                "  on cpu Example CPU, cores 2",
                "  Train/a  cpu  +1.0 % [-1.0, +3.0]  FINE  c1 of 2026-09-02  2 gates",
            ],
        )

    def test_a_change_of_the_level_names_the_candidates_between_which_it_lies(self):
        text = history_report.to_text("h", nights(STEP))
        self.assertRegex(
            text,
            r"\n  changes of the level\n    Train/a  cpu  \+2\.0 % \[\+1\.\d, \+2\.\d\]  t \d+\.\d  "
            r"between c11 of 2026-09-12 and c12 of 2026-09-13\n",
        )
        self.assertNotIn("changes", history_report.to_text("h", nights([0.01] * 30)))

    def test_change_points_count_judged_gates_only(self):
        lines = nights([None if number == 3 else value for number, value in enumerate(STEP)])
        self.assertIn("between c11 of 2026-09-12 and c12 of 2026-09-13", history_report.to_text("h", lines))

    def test_a_note_is_reported_once_a_gate(self):
        lines = nights([0.01]) + [line(0.04, 1, metric=metric, note="accepted: float64") for metric in ("cpu", "wall")]
        text = history_report.to_text("h", lines)
        self.assertTrue(text.endswith("  notes\n    2026-09-02  c1  accepted: float64\n"))

    def test_what_was_skipped_is_reported(self):
        self.assertTrue(history_report.to_text("h", nights([0.01]), SKIPPED).endswith(f"\n{SKIPPED[0]}\n"))
        self.assertEqual(history_report.to_text("h", [], SKIPPED), f"h: no gates\n{SKIPPED[0]}\n")

    def test_machines_do_not_mix(self):
        other = {**MACHINE, "cores": 64}
        text = history_report.to_text(
            "h", nights(STEP[:12]) + [line(value, 12 + number, machine=other) for number, value in enumerate(STEP[12:])]
        )
        self.assertEqual(text.count("against train at a1"), 2)
        self.assertNotIn("changes", text)

    def test_of_many_anchors_the_latest_are_shown(self):
        lines = [line(0.0, number, baseline=Side(("train",), f"p{number}")) for number in range(25)]
        text = history_report.to_text("h", lines)
        shown = re.findall(r"at (p\d+)\n", text)
        self.assertEqual(shown, [f"p{number}" for number in range(24, 4, -1)])
        self.assertIn("\n5 older anchors left out\n", text)

    def test_a_side_without_a_commit_is_named_by_its_program_or_command(self):
        for side, wanted in (
            (Side(("train",), "c" * 40), "cccccccccccc of"),
            (Side(("train",), "c" * 12 + "+changes"), "cccccccccccc+changes of"),
            (Side(("x",), "", "d" * 64), "program dddddddddddd of"),
            (Side(("x", "y z")), "x 'y z' of"),
        ):
            self.assertIn(f"  {wanted}", history_report.to_text("h", nights([0.0], candidate=side)))


class HistoryMarkdownTest(unittest.TestCase):
    def test_tables_have_their_cells_whatever_is_in_them(self):
        lines = nights(STEP, entry="Train/a|b", note="see <b> | *this*")
        text = history_report.to_markdown("h|x", lines, SKIPPED)
        self.assertTrue(text.startswith("# h\\|x: 24 gates, "))
        rows = [line for line in text.splitlines() if line.startswith("|")]
        self.assertEqual([len(re.split(r"(?<!\\)\|", row)) - 2 for row in rows], [6] * 3 + [5] * 3 + [3] * 26)
        self.assertIn(r"| `Train/a\|b` | cpu | +1.9 % [-0.1, +4.0] | FINE |", text)
        self.assertIn(r"see \<b\> \| \*this\*", text)
        self.assertIn(r"\[history\] h: skipped line 3", text)


class HistoryHtmlTest(unittest.TestCase):
    def test_whole_and_needs_nothing_from_outside(self):
        page = Page(history_report.to_html("h", nights(STEP, note="a <b>"), SKIPPED))
        self.assertEqual((page.problems, page.fetched), ([], []))
        for part in (
            "h: 24 gates",
            "Against train at a1",
            "between c11 of 2026-09-12 and c12",
            "a <b>",
            SKIPPED[0],
            history_report.RULE,
        ):
            self.assertIn(part, page.text)
        self.assertEqual(len(page.all("svg")), 1)

    def test_the_same_history_gives_the_same_bytes(self):
        self.assertEqual(history_report.to_html("h", nights(STEP)), history_report.to_html("h", nights(STEP)))

    def test_one_gate_is_no_plot_and_none_is_a_page(self):
        self.assertEqual(Page(history_report.to_html("h", nights([0.01]))).all("svg"), [])
        page = Page(history_report.to_html("h", []))
        self.assertEqual((page.problems, page.all("svg")), ([], []))

    def test_the_plot_shows_levels_changes_notes_and_verdicts(self):
        def svg(*args, **changes):
            ((_, _, found),) = plots.history_of_each([series(nights(*args, **changes))])
            return found

        step, calm = svg(STEP), svg([0.001, -0.001] * 12)
        self.assertIn(">+2.0 %</text>", step)
        self.assertEqual(step.count(themed(f"stroke: {plots.LEVEL}")), 2)
        self.assertEqual(calm.count(themed(f"stroke: {plots.LEVEL}")), 1)
        self.assertNotIn(plots.CHANGE, calm)
        self.assertIn(">2026-09-01</text>", calm)
        self.assertEqual(calm.count(themed(f"fill: {plots.DOTS['fine']}")), 24)
        self.assertIn(themed(f"fill: {plots.DOTS['regression']}"), svg([0.04] * 3, outcome="regression"))
        self.assertNotIn(plots.NOTE, calm)
        self.assertEqual(svg([0.01] * 3, note="x").count(themed(f"fill: {plots.NOTE}")), 3)


def series(lines):
    (section,) = history_report.overview("h", lines).sections
    (one,) = section.series
    return one


class ReportFilesTest(FolderTest):
    def open(self, *arguments):
        return verdict_report.ReportFiles(gate.parse(["--judge=r.json", *arguments]))

    def printed(self, *arguments):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.open(*arguments).write_all(VERDICT, TAKEN)
        return out.getvalue()

    def test_each_file_gets_its_report_and_the_terminal_the_text(self):
        text = self.printed(*(f"--{kind}={self.path(kind)}" for kind in ("json", "markdown", "html")))
        self.assertEqual(text, verdict_report.to_text(VERDICT, TAKEN))
        self.assertEqual(json.loads(self.read("json")), verdict_report.to_json(VERDICT, TAKEN))
        self.assertEqual(self.read("markdown"), verdict_report.to_markdown(VERDICT, TAKEN))
        self.assertEqual(self.read("html"), verdict_report.to_html(VERDICT, TAKEN))

    def test_a_gate_is_added_to_the_history_with_its_note(self):
        path = self.path("h")
        self.printed(f"--history={path}", "--note=accepted")
        lines, notes = history.read(path)
        self.assertEqual(notes, [])
        self.assertEqual([(each.metric, each.note) for each in lines], [("cpu", "accepted"), ("wall", "accepted")])
        age = datetime.datetime.now(datetime.timezone.utc) - datetime.datetime.strptime(
            lines[0].date, "%Y-%m-%dT%H:%M:%SZ"
        ).replace(tzinfo=datetime.timezone.utc)
        self.assertLess(abs(age.total_seconds()), 600)

    def test_the_page_has_this_gate_and_those_before(self):
        path = self.path("h")
        earlier = dataclasses.replace(TAKEN, seed=1)
        history.append(path, VERDICT, earlier, datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc))
        self.printed(f"--history={path}", f"--html={self.path('html')}")
        self.assertEqual(self.read("html").count("Gates against this baseline"), 2)
        self.assertIn(">2026-01-02</text>", self.read("html"))

    def test_without_options_there_is_text_alone(self):
        self.assertEqual(self.printed(), verdict_report.to_text(VERDICT, TAKEN))
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_cannot_be_written_is_refused_before_the_work(self):
        for kind in ("json", "markdown", "html", "history"):
            with self.assertRaises(OSError):
                self.open(f"--{kind}={self.path('none/file')}")


if __name__ == "__main__":
    xml_unittest.main()
