"""What changed between two runs: the report, its files and the exit status."""

import contextlib
import copy
import io
import json
import os
import tempfile
import unittest
import unittest.mock

from reports import case_change, conformance_comparison
from reports.conformance_result_testing import OTHER, STATED, case, result, unjudged, write
from reports.json_file import ReportError
from reports.result_changes import ResultChanges
from tools import xml_unittest


def compare(old, new, enforced=(), **fields):
    """Of these cases; `fields` are of NEW's result."""
    return ResultChanges(result("mine", "Mine 1.0", old), result("mine", "Mine 1.1", new, **fields), enforced)


class ResultChangesTest(unittest.TestCase):
    def test_rewritten_cases_are_not_compared(self):
        new = case("x", "failed", expect=[{"observation": "sizes", "equals": OTHER}])
        changes = compare([case("x")], [new])
        self.assertEqual([entry.fields for entry in changes.rewritten], [["expect"]])
        self.assertEqual((changes.regressions, changes.same), ([], 0))

    def test_prose_alone_does_not_rewrite(self):
        new = case("x", "failed", states="In other words.")
        new["expect"][0]["by_hand"] = "two and two"
        self.assertEqual(len(compare([case("x")], [new]).regressions), 1)

    def test_cases_that_are_new_gone_or_were_not_run(self):
        def absent(old, new, **options):
            made = result("mine", "Mine 1", [])["options"] | options
            changes = compare(old, new, options=made)
            return [len(cases) for cases in (changes.added, changes.gone, changes.not_asked_in_new)]

        cases = [case("x")]
        self.assertEqual(absent([], cases), [1, 0, 0])
        self.assertEqual(absent(cases, []), [0, 1, 0])
        self.assertEqual(absent(cases, [], filter="input/*"), [0, 1, 0])
        self.assertEqual(absent(cases, [], filter="*/x"), [0, 1, 0])
        self.assertEqual(absent(cases, [], filter="loss/*"), [0, 0, 1])
        self.assertEqual(absent(cases, [], filter="input/rebatch/?x"), [0, 0, 1])
        self.assertEqual(absent(cases, [], levels=["observed"]), [0, 0, 1])
        self.assertEqual(absent(cases, [], areas=["loss"]), [0, 0, 1])
        self.assertEqual(absent(cases, [], areas=["input"], shard="1/1"), [0, 1, 0])
        self.assertEqual(absent(cases, [], shard="1/3"), [0, 0, 1])

    def test_settings(self):
        old, new = (result("mine", f"Mine {version}", []) for version in (1, 2))
        new["testee"]["conventions"] = {"end_of_data": "pad"}
        new["testee"]["steps"] = ["value.add"]
        new["options"] |= {"repeat": 3, "levels": [], "cases": "elsewhere"}
        old["suite"], new["suite"] = "0.8.0", "0.9.0"
        self.assertEqual(
            [tuple(entry) for entry in ResultChanges(old, new).settings],
            [
                ("suite", "0.8.0", "0.9.0"),
                ("implementation", "Mine 1", "Mine 2"),
                ("repeat", 1, 3),
                ("convention end_of_data", None, "pad"),
                ("steps that only one can do", ["dataset.range"], ["value.add"]),
            ],
        )

    def test_an_older_result_does_not_say_its_suite(self):
        old, new = (result("mine", "Mine 1", []) for _ in range(2))
        new["suite"] = "0.9.0"
        self.assertEqual(ResultChanges(old, new).settings, [])

    def test_a_comment_is_no_longer_than_github_takes(self):
        claims = [f"a_claim_with_a_long_name_{number:04}" for number in range(1000)]
        changes = compare([case(claim) for claim in claims], [case(claim, "failed") for claim in claims])
        self.assertGreater(len(conformance_comparison.build("conformance_comparison.md.j2", changes)), 65536)
        text = conformance_comparison.build_comment(changes)
        self.assertLess(len(text), 65536)
        self.assertIn("**1000 regressions", text)
        self.assertIn("And 800 more: a comment has no room for them.", text)
        short = compare([case("a")], [case("a", "failed")])
        self.assertEqual(
            conformance_comparison.build_comment(short),
            conformance_comparison.build("conformance_comparison.md.j2", short),
        )

    def test_refuses_a_run_that_was_interrupted(self):
        whole = result("mine", "Mine 1", [])
        part = {**whole, "complete": False}
        for pair, name in (((part, whole), "OLD"), ((whole, part), "NEW")):
            with self.assertRaisesRegex(ReportError, f"{name} is of a run that was int"):
                ResultChanges(*pair)

    def test_changes_are_in_order_of_levels(self):
        changes = compare(
            [unjudged("a", OTHER), case("b", level="recommended"), case("c", "failed")],
            [unjudged("a", STATED), case("b", "warned", "recommended"), case("c", "errored")],
        )
        self.assertEqual([change.level for change in changes.other], ["required", "recommended", "observed"])


OLD = [
    case("split"),
    case("kept", "unsupported"),
    case("wise", level="recommended"),
    unjudged("seen", OTHER),
    case("text"),
    case("away"),
    case("still"),
]
NEW = [
    case("split", "failed"),
    case("kept"),
    case("wise", "warned", "recommended"),
    unjudged("seen", [[2, 2], [3, 0]]),
    case("text", given={"replicas": 3}),
    case("fresh"),
    case("still"),
]


class CommandLineTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        self.old = write(result("mine", "Mine 1.0", copy.deepcopy(OLD)))
        self.new = write(result("mine", "Mine 1.1", copy.deepcopy(NEW)))

    def run_main(self, *arguments):
        out, complaint = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(complaint):
            try:
                status = conformance_comparison.main(arguments)
            except SystemExit as end:
                status = end.code
        return status, out.getvalue(), complaint.getvalue()

    def written(self, *arguments, name):
        path = os.path.join(self.folder, name)
        self.run_main(self.old, self.new, *arguments, f"--{name}={path}")
        with open(path, encoding="utf-8") as file:
            return file.read()

    def test_tells_what_changed(self):
        self.assertEqual(
            self.run_main(self.old, self.new),
            (
                1,
                """\
Mine 1.0 -> Mine 1.1: 1 regression, 1 better, 2 changed otherwise, 1 rewritten, 1 new, 1 gone,\
 1 the same; required 4 of 5 passed

Regressions:
  input/rebatch/split (required): passed -> failed; sizes at [1][0]: was 1, is 2

Better:
  input/rebatch/kept (required): unsupported -> passed; was: no input.batch_sizes:\
 it has no batches; now: sizes [[2, 2], [1, 1]]

Other changes:
  input/rebatch/wise (recommended, worse): passed -> warned; sizes at [1][0]: was 1, is 2
  input/rebatch/seen (observed, otherwise): informational, differs; sizes at [1][0]: was 2, is 3

Rewritten, so that the verdicts are not comparable:
  input/rebatch/text (required): passed; given changed

New:
  input/rebatch/fresh (required): passed

Gone:
  input/rebatch/away (required): passed

Settings:
  implementation: "Mine 1.0" -> "Mine 1.1"
""",
                "",
            ),
        )

    def test_enforced_levels_count(self):
        _, out, _ = self.run_main(self.old, self.new, "--enforce=recommended,decision")
        self.assertIn("2 regressions, 1 better, 1 changed otherwise", out)
        status, _, complaint = self.run_main(self.old, self.new, "--enforce=all")
        self.assertEqual(status, 2)
        self.assertIn("wanted levels of required, recommended, decision, observed, got 'all'", complaint)

    def test_nothing_changed_is_one_line(self):
        self.assertEqual(
            self.run_main(self.old, self.old),
            (
                0,
                "Mine 1.0 of 2026-01-02 03:04:05 -> Mine 1.0 of 2026-01-02 03:04:05: no change"
                " in 7 cases; required 4 of 5 passed\n",
                "",
            ),
        )

    def test_what_is_no_regression_ends_with_0(self):
        status, out, _ = self.run_main(
            write(result("mine", "Mine 1", [case("x", "failed"), case("away")])),
            write(result("mine", "Mine 2", [case("x"), case("fresh", "failed")])),
        )
        self.assertEqual(status, 0)
        self.assertIn("no regressions, 1 better, 1 new, 1 gone, 0 the same", out)
        self.assertIn("required 1 of 2 passed\n", out)

    def test_figures_of_other_cases_are_not_set_side_by_side(self):
        old = result("mine", "Mine 1", [case("x", "failed"), case("y")])
        new = result("mine", "Mine 2", [case("x"), case("y")])
        part = {**result("mine", "Mine 2", [case("y")]), "options": {**new["options"], "filter": "*/y"}}
        heads = [self.run_main(write(old), write(other))[1].split("\n")[0] for other in (new, part)]
        self.assertIn("; required 2 of 2 passed, was 1 of 2", heads[0])
        self.assertTrue(heads[1].endswith("; required 1 of 1 passed"), heads[1])

    def test_says_on_how_many_replicas(self):
        old, new = case("x"), case("x", "failed")
        for made in (old, new):
            made["runs"] = [{**made["runs"][0], "given": {"replicas": n}} for n in (2, 4)]
        _, out, _ = self.run_main(write(result("mine", "Mine 1", [old])), write(result("mine", "Mine 2", [new])))
        self.assertIn("; replicas 2: sizes at [1][0]: was 1, is 2 (and 1 more)\n", out)

    def test_markdown(self):
        text = self.written(name="markdown")
        self.assertTrue(text.startswith("# Conformance: Mine 1.0 to Mine 1.1\n\n"))
        for line in (
            "**1 regression, 1 better, 2 changed otherwise, 1 rewritten, 1 new, 1 gone,"
            " 1 the same.** Required: 4 of 5 passed.\n\n## Regressions\n\n",
            "| case | level | Mine 1.0 | Mine 1.1 | what differs |\n|---|---|---|---|---|\n"
            "| input/rebatch/split | required | passed | failed | sizes at [1][0]: was 1,"
            " is 2 |\n\n## Better\n",
            "| input/rebatch/wise | recommended | worse | passed | warned |",
            "| input/rebatch/text | required | passed | passed | given |\n\n## New\n",
            '| implementation | "Mine 1.0" | "Mine 1.1" |\n',
        ):
            self.assertIn(line, text)

    def test_json(self):
        found = json.loads(self.written(name="json"))
        self.assertEqual((found["format"], found["regressed"], found["enforced"]), (1, True, ["required"]))
        self.assertEqual(
            found["regressions"],
            [
                {
                    "id": "input/rebatch/split",
                    "level": "required",
                    "old": "passed",
                    "new": "failed",
                    "changed_level": "required",
                    "way": "worse",
                    "differences": [
                        {
                            "given": {"strategy": "mirrored", "replicas": 2},
                            "observation": "sizes",
                            "old": STATED,
                            "new": OTHER,
                            "text": "sizes at [1][0]: was 1, is 2",
                        }
                    ],
                }
            ],
        )
        self.assertEqual(
            found["rewritten"],
            [{"id": "input/rebatch/text", "level": "required", "old": "passed", "new": "passed", "fields": ["given"]}],
        )
        self.assertEqual(found["gone"], [{"id": "input/rebatch/away", "level": "required", "status": "passed"}])
        self.assertEqual([found[name] for name in ("not_asked_in_old", "same")], [[], 1])

    def test_to_the_standard_output_goes_one_thing(self):
        reports = [conformance_comparison.parse_arguments([self.old, self.new, "--json=-"])]
        with contextlib.redirect_stdout(io.StringIO()) as out, unittest.mock.patch("reports.command.output"):
            conformance_comparison.make(reports[0])
        self.assertEqual(out.getvalue(), "")

    def test_refuses_other_files(self):
        whole = result("mine", "Mine 1", [])
        for content, complaint in (
            ({"benchmarks": []}, "no result of `./bazelw run //conformance:run -- --json=FILE`"),
            ([], "no result of `./bazelw run //conformance:run -- --json=FILE`"),
            ({**whole, "format": 1}, "wanted format 5 or 4, got 1: write it again"),
            ({**whole, "complete": "yes"}, '$["complete"]'),
            ({**whole, "complete": False}, "OLD is of a run that was interrupted"),
            ("no JSON", "not JSON"),
        ):
            with self.subTest(complaint):
                status, out, said = self.run_main(write(content), self.new)
                self.assertEqual((status, out), (2, ""))
                self.assertIn(complaint, said)
        status, _, said = self.run_main(self.old, "/nonexistent/new.json")
        self.assertEqual(status, 2)
        self.assertIn("[load] /nonexistent/new.json: No such file", said)

    def test_refuses_a_wrong_command_line_and_an_output_that_cannot_be(self):
        self.assertEqual(self.run_main(self.old)[0], 2)
        status, out, said = self.run_main(self.old, self.new, "--json=/nonexistent/x.json")
        self.assertEqual((status, out), (2, ""))
        self.assertIn("/nonexistent/x.json", said)

    def test_help_says_what_a_regression_is(self):
        status, out, _ = self.run_main("--help")
        self.assertEqual(status, 0)
        self.assertIn(case_change.RULES, out)
        self.assertIn("Exit status: 0 no regression, 1 a regression, 2", out)
        self.assertIn("./bazelw run //conformance:compare -- old.json new.json", out)


if __name__ == "__main__":
    xml_unittest.main()
