"""The short form of a result, and comparisons with it."""

import json
import os
import tempfile
import unittest

from reports import conformance_comparison, conformance_result
from reports.accepted import accepted_result
from reports.conformance_result_testing import OTHER, STATED, VERDICTS, case, result, unjudged, write
from reports.json_file import ReportError
from reports.json_text import parse
from reports.result_changes import ResultChanges
from tools import xml_unittest


def accepted(cases, **fields):
    """Of a result of these cases, as a comparison reads it."""
    text = accepted_result.to_text(result("mine", "Mine 1.0", cases, **fields))
    return conformance_result.load_to_compare(write(text))


def changes(old, new, **fields):
    return ResultChanges(accepted(old), result("mine", "Mine 1.0", new, **fields))


class TextTest(unittest.TestCase):
    def test_two_runs_of_the_same_code_give_the_same_text(self):
        first, again = case("x"), case("x", duration_s=7.5)
        again["runs"][0] |= {"duration_s": 7.5, "tokens": ["c3d4"]}
        texts = [
            accepted_result.to_text(result("mine", "Mine 1.0", cases, started=started, duration_s=seconds))
            for cases, started, seconds in (
                ([first, case("a")], "2026-01-02T03:04:05Z", 1.5),
                ([case("a"), again], "2026-02-03T04:05:06Z", 9.5),
            )
        ]
        self.assertEqual(*texts)

    def test_a_case_is_a_line_in_the_order_of_ids(self):
        lines = accepted_result.to_text(result("mine", "Mine 1.0", [case("x"), case("a")])).splitlines()
        found = [parse(line.rstrip(","))["id"] for line in lines if line.startswith('{"id"')]
        self.assertEqual(found, ["input/rebatch/a", "input/rebatch/x"])

    def test_what_is_kept_of_an_answer(self):
        text = accepted_result.to_text(result("mine", "Mine 1.0", [case("x"), case("y", "errored")]))
        first, second = parse(text)["cases"]
        self.assertEqual(first["runs"][0]["observations"], {"sizes": STATED})
        self.assertEqual(second["runs"][0]["error"], {"class": "Internal", "at_step": "dataset.range"})

    def test_refuses_an_interrupted_run(self):
        with self.assertRaisesRegex(accepted_result.NotAccepted, "interrupted"):
            accepted_result.to_text(result("mine", "Mine 1.0", [], complete=False))


class CompareTest(unittest.TestCase):
    def test_the_same_of_any_verdict_is_no_change(self):
        cases = [case(verdict, verdict) for verdict in VERDICTS if verdict != "informational"]
        cases += [unjudged("told", STATED, True), unjudged("differs", OTHER), case("flickers", flickers=True)]
        found = changes(cases, cases)
        self.assertTrue(found.is_without_changes(), found.to_json())
        self.assertEqual(found.same, len(cases))

    def test_finds_the_same_as_with_the_whole_result(self):
        for old in VERDICTS:
            for new in VERDICTS:
                pair = [case("x", old)], [case("x", new)]
                whole = ResultChanges(*(result("mine", "Mine 1.0", cases) for cases in pair)).to_json()
                short = changes(*pair).to_json()
                for name in ("regressions", "better", "other"):
                    kept = [
                        [(one["id"], one["old"], one["new"], one["way"]) for one in of[name]] for of in (whole, short)
                    ]
                    self.assertEqual(*kept, f"{old} to {new}")

    def test_says_what_was_observed(self):
        (found,) = changes([case("x")], [case("x", "failed")]).regressions
        self.assertEqual(found.differences[0].text, "sizes at [1][0]: was 1, is 2")
        (found,) = changes([case("x", "errored")], [case("x", "crashed")]).regressions
        self.assertEqual(found.differences[0].text, "was: Internal in dataset.range; now: died: SIGSEGV")
        (found,) = changes([case("x", "unsupported")], [case("x")]).better
        self.assertTrue(found.differences[0].text.startswith("was: no input.batch_sizes; now: "))

    def test_a_case_that_asks_something_else_is_rewritten(self):
        new = case("x", "failed", expect=[{"observation": "sizes", "equals": OTHER}])
        self.assertEqual([one.fields for one in changes([case("x")], [new]).rewritten], [["expect"]])
        new = case("x", "failed", states="In other words.")
        new["expect"][0]["because"] = "of this"
        self.assertEqual(len(changes([case("x")], [new]).regressions), 1)

    def test_the_report_says_that_it_was_accepted(self):
        text = conformance_comparison.build("conformance_comparison.txt.j2", changes([case("x")], [case("x")]))
        self.assertTrue(text.startswith("Mine 1.0, accepted -> Mine 1.0 of 2026-01-02 03:04:05: no change"), text)


class FileTest(unittest.TestCase):
    def test_the_command_writes_it(self):
        folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        target = os.path.join(folder, "accepted.json")
        made = result("mine", "Mine 1.0", [case("x")])
        self.assertEqual(accepted_result.main([write(made), target]), 0)
        with open(target, encoding="utf-8") as stream:
            self.assertEqual(stream.read(), accepted_result.to_text(made))
        self.assertEqual(os.listdir(folder), ["accepted.json"])
        for content in ("nothing", {"a": 1}, [], {**made, "complete": False}):
            self.assertEqual(accepted_result.main([write(content), target]), 2)

    def test_a_wrong_one_is_refused(self):
        good = json.loads(accepted_result.to_text(result("mine", "Mine 1.0", [case("x")])))
        for wrong in ({"accepted_format": 2}, {"cases": [{"id": "a/b/c"}]}):
            with self.assertRaises(ReportError):
                conformance_result.load_to_compare(write({**good, **wrong}))
        with self.assertRaisesRegex(ReportError, "accepted result"):
            conformance_result.load(write(good))


if __name__ == "__main__":
    xml_unittest.main()
