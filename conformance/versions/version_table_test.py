"""Where verdicts change from version to version, and how that is shown."""

import json
import unittest

from conformance.versions import report
from conformance.versions.version_run import VersionResult
from conformance.versions.version_table import VersionTable
from reports.conformance_result_testing import OTHER, STATED, case, result, unjudged
from reports.html_testing import Page
from reports.json_file import ReportError
from tools import xml_unittest

VERSIONS = ["1.0", "1.1", "2.0"]


def again(version):
    return f"ask {version}"


def results(*columns):
    return [result("fake", f"Fake {version}", cases) for version, cases in zip(VERSIONS, columns)]


def table(*columns):
    """The cases of each version in turn."""
    return VersionTable(VERSIONS[: len(columns)], results(*columns), again)


def changing():
    """Three versions: two cases change their verdict, one something else, one nothing."""
    otherwise = case("shifts", "failed")
    otherwise["runs"][0]["observations"] = {"sizes": [[1, 1], [2, 2]]}
    return (
        [case("stays"), case("breaks"), case("comes", "unsupported"), case("shifts", "failed")],
        [case("stays"), case("breaks"), case("comes"), case("shifts", "failed")],
        [case("stays"), case("breaks", "failed"), case("comes"), otherwise],
    )


class VersionTableTest(unittest.TestCase):
    def test_says_where_a_verdict_changes_first(self):
        made = table(*changing())
        self.assertEqual(
            [(entry.row["case"]["id"], entry.row["statuses"], entry.changes[0].index) for entry in made.changed],
            [
                ("input/rebatch/comes", ["unsupported", "passed", "passed"], 1),
                ("input/rebatch/breaks", ["passed", "passed", "failed"], 2),
            ],
        )
        self.assertEqual([entry.row["case"]["id"] for entry in made.otherwise], ["input/rebatch/shifts"])
        self.assertEqual((made.total, made.same), (4, 1))

    def test_levels_come_in_their_order(self):
        made = table([unjudged("a", STATED, True), case("b")], [unjudged("a", OTHER), case("b", "failed")])
        self.assertEqual([entry.row["case"]["level"] for entry in made.changed], ["required", "observed"])
        self.assertEqual(made.changed[1].row["statuses"], ["informational", "differs"])

    def test_a_verdict_that_comes_back_changes_twice(self):
        (entry,) = table([case("x")], [case("x", "errored")], [case("x")]).changed
        self.assertEqual([step.index for step in entry.changes], [1, 2])
        self.assertEqual([step.change.kind for step in entry.changes], ["regression", "better"])

    def test_versions_that_were_not_asked_are_passed_over(self):
        (entry,) = table([case("x")], [], [case("x", "failed")]).changed
        self.assertEqual(entry.row["statuses"], ["passed", "not_run", "failed"])
        self.assertEqual([step.index for step in entry.changes], [2])
        self.assertEqual(table([case("x")], [], [case("x")]).changed, [])

    def test_refuses_what_is_not_comparable(self):
        other = case("x", expect=[{"observation": "sizes", "equals": OTHER}])
        with self.assertRaisesRegex(ReportError, "'expect' differs in the result of 1.1"):
            table([case("x")], [other])
        with self.assertRaisesRegex(ReportError, "two results of 1.0"):
            VersionTable(["1.0", "1.0"], results([case("x")], [case("x")]), again)


class ReportTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        columns = results(*changing())
        columns[2]["testee"]["conventions"] = {"end_of_data": "pad"}
        self.entries = [
            *map(VersionResult, VERSIONS, columns),
            VersionResult("3.0", problem="cannot be installed: <ERROR>"),
        ]
        self.table = VersionTable(VERSIONS, columns, again)

    def build(self, kind):
        return report.build(kind, "fake", self.entries, self.table)

    def test_for_a_terminal(self):
        self.assertEqual(
            self.build("txt"),
            """\
fake: 2 of 4 cases change their verdict, 1 do something else by the same verdict, 1 never change in anything

1.0  required 2 of 4 passed
1.1  required 3 of 4 passed
2.0  required 2 of 4 passed

1.0 1.1 2.0   ✓ passed, – unsupported, ✗ failed

  –   ✓   ✓   input/rebatch/comes (required)
              1.1: was: no input.batch_sizes: it has no batches; now: sizes [[2, 2], [1, 1]]
  ✓   ✓   ✗   input/rebatch/breaks (required)
              2.0: sizes at [1][0]: was 1, is 2

Settings:
  2.0: convention end_of_data: null -> "pad"
""",
        )

    def test_without_a_change(self):
        made = VersionTable(VERSIONS[:2], results([case("x")], [case("x")]), again)
        self.assertEqual(
            report.build("txt", "fake", self.entries[:2], made),
            """\
fake: 0 of 1 cases change their verdict, 1 never change in anything

1.0  required 1 of 1 passed
1.1  required 1 of 1 passed
""",
        )

    def test_markdown(self):
        text = self.build("md")
        self.assertIn(
            "| input/rebatch/breaks | required | passed | passed | failed | 2.0 | sizes at [1][0]: was 1, is 2 |", text
        )
        self.assertIn("| 1.0 | 2026-01-02 | 2 of 4 | 2 | 1 | 0 | 1 |\n| 1.1 |", text)
        self.assertIn("## Otherwise, by the same verdict\n\n| case |", text)
        self.assertIn("cannot be installed: <ERROR>", text)

    def test_page_stands_alone_and_holds_every_case_that_changes(self):
        text = self.build("html")
        page = Page(text)
        self.assertEqual((page.problems, page.fetched), ([], []))
        self.assertEqual(len(page.ids), len(set(page.ids)))
        inside = [link[1:] for link in page.links if link.startswith("#")]
        self.assertEqual(set(inside) - set(page.ids), set())
        self.assertIn("input/rebatch/breaks@2.0", inside)
        self.assertNotIn("input/rebatch/stays", page.ids)
        self.assertIn("cannot be installed: <ERROR>", page.text)
        self.assertIn("ask 2.0 --filter=input/rebatch/breaks", page.text)

    def test_for_programs(self):
        made = json.loads(json.dumps(report.as_json("fake", self.entries, self.table)))
        self.assertEqual([made[name] for name in ("format", "framework", "cases", "same")], [1, "fake", 4, 1])
        self.assertEqual(made["versions"][3], {"version": "3.0", "problem": "cannot be installed: <ERROR>"})
        self.assertEqual(made["versions"][0]["verdicts"], {"passed": 2, "unsupported": 1, "failed": 1})
        self.assertEqual(made["changed"][1]["verdicts"], {"1.0": "passed", "1.1": "passed", "2.0": "failed"})
        (change,) = made["changed"][1]["changes"]
        self.assertEqual(
            [change[name] for name in ("in", "kind", "old", "new")], ["2.0", "regression", "passed", "failed"]
        )
        self.assertEqual(change["differences"][0]["text"], "sizes at [1][0]: was 1, is 2")
        self.assertEqual([entry["id"] for entry in made["otherwise"]], ["input/rebatch/shifts"])


if __name__ == "__main__":
    xml_unittest.main()
