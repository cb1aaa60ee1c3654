"""How tests are reported: each case to Bazel, and the closing line."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from tools import summarize_tests, xml_unittest

GOOGLETEST = """<testsuites><testsuite name="S">
  <testcase name="Passes" status="run" result="completed" classname="S"/>
  <testcase name="Fails" status="run" result="completed" classname="S"><failure message="1"/></testcase>
  <testcase name="Skips" status="run" result="skipped" classname="S"><skipped message="no GPU"/></testcase>
  <testcase name="DISABLED_X" status="notrun" result="suppressed" classname="S"/>
</testsuite></testsuites>"""
ALL_PASS = '<testsuites><testcase name="A" classname="S"/><testcase name="B" classname="S"/></testsuites>'
BY_BAZEL = '<testsuites><testcase name="a/x_test" status="run"></testcase></testsuites>'
BY_BAZEL_DIED = (
    '<testsuites><testcase name="a/x_test" status="run">'
    '<error message="exited with error code 134"></error></testcase></testsuites>'
)
LABEL = "//a:x_test"


class SummarizeTestsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.events = []

    def target(self, label=LABEL, kind="cc_test rule"):
        self.events.append({"id": {"targetConfigured": {"label": label}}, "configured": {"targetKind": kind}})

    def completed(self, label=LABEL, **event):
        self.events.append({"id": {"targetCompleted": {"label": label}}, **event})

    def result(self, status, report=None, label=LABEL, attempt=1, shard=1):
        path = os.path.join(self.folder.name, "%d %d.xml" % (len(self.events), shard))
        outputs = []
        if report is not None:
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(report)
            outputs = [
                {"name": "test.log", "uri": "file:///none"},
                {"name": "test.xml", "uri": "file://" + path.replace(" ", "%20")},
            ]
        self.events.append(
            {
                "id": {"testResult": {"label": label, "run": 1, "shard": shard, "attempt": attempt}},
                "testResult": {"status": status, "testActionOutput": outputs},
            }
        )

    def lines(self, bazel_exit_code=0):
        return summarize_tests.summarize(self.events, bazel_exit_code).text().split("\n")

    def test_counts_cases_of_googletest(self):
        self.target()
        self.result("FAILED", GOOGLETEST)
        self.assertEqual(
            self.lines(3),
            ["SKIPPED //a:x_test S.Skips", "FAILED  //a:x_test S.Fails", "1 skipped", "1 passed, 1 failed"],
        )

    def test_counts_a_python_test_without_report_as_one(self):
        self.target(kind="py_test rule")
        self.result("PASSED", BY_BAZEL)
        self.assertEqual(self.lines(), ["1 passed, 0 failed"])

    def test_a_crash_is_one_failure(self):
        self.target()
        self.result("FAILED", BY_BAZEL_DIED)
        self.assertEqual(self.lines(3), ["FAILED  //a:x_test", "0 passed, 1 failed"])

    def test_a_timeout_without_report_is_one_failure(self):
        self.target()
        self.result("TIMEOUT")
        self.assertEqual(self.lines(3), ["FAILED  //a:x_test (timeout)", "0 passed, 1 failed"])

    def test_a_failure_after_all_cases_passed_is_one_failure(self):
        self.target()
        self.result("FAILED", ALL_PASS)  # as a sanitizer's finding at exit makes it
        self.assertEqual(self.lines(3)[-1], "2 passed, 1 failed")

    def test_a_program_that_exits_before_its_report_fails(self):
        self.target()
        self.result("PASSED", BY_BAZEL)
        self.assertEqual(
            self.lines(), ["FAILED  //a:x_test (ended before its report was written)", "0 passed, 1 failed"]
        )

    def test_broken_report_of_a_failed_test_is_one_failure(self):
        self.target()
        self.result("FAILED", "<testsuites><testcase")
        self.assertEqual(self.lines(3)[-1], "0 passed, 1 failed")

    def test_a_target_that_did_not_build_fails(self):
        self.target()
        self.completed(completed={"failureDetail": {"message": "gcc failed"}})
        self.assertEqual(self.lines(1), ["FAILED  //a:x_test (did not build)", "0 passed, 1 failed"])

    def test_a_target_that_was_not_analysed_fails(self):
        self.target()
        self.completed(aborted={"reason": "ANALYSIS_FAILURE"})
        self.assertEqual(self.lines(1)[-1], "0 passed, 1 failed")

    def test_a_target_left_out_by_its_tags_is_skipped(self):
        self.target()
        self.completed(completed={"success": True, "tag": ["gpu", "no-tsan"]})
        for given, left_out in [
            ("-no-tsan", True),
            ("-no-asan,-gpu", True),
            ("cpu", True),
            ("gpu", False),
            ("cpu,gpu,-no-asan", False),
            ("", False),
        ]:
            with self.subTest(given):
                self.events.append({"id": {}, "optionsParsed": {"cmdLine": ["--test_tag_filters=" + given]}})
                self.assertEqual(
                    self.lines(0)[0],
                    "SKIPPED //a:x_test (left out by its tags)" if left_out else "FAILED  //a:x_test (did not run)",
                )

    def test_a_target_that_was_built_and_not_run_fails(self):
        self.target()
        self.completed(completed={"success": True})
        self.assertEqual(self.lines(8)[0], "FAILED  //a:x_test (did not run)")

    def test_an_incompatible_target_is_skipped(self):
        self.target()
        self.completed(aborted={"reason": "SKIPPED"})
        self.assertEqual(self.lines(), ["SKIPPED //a:x_test (not for this machine)", "1 skipped", "0 passed, 0 failed"])

    def test_targets_that_are_no_tests_do_not_count(self):
        self.target("//a:x", "cc_library rule")
        self.completed("//a:x", completed={"failureDetail": {}})
        self.target("//a:y_test")
        self.result("PASSED", ALL_PASS, label="//a:y_test")
        self.assertEqual(self.lines(), ["2 passed, 0 failed"])

    def test_the_last_attempt_counts(self):
        self.target()
        self.result("FAILED", GOOGLETEST, attempt=1)
        self.result("PASSED", ALL_PASS, attempt=2)
        self.assertEqual(self.lines(), ["2 passed, 0 failed"])

    def test_shards_add_up(self):
        self.target()
        self.result("PASSED", ALL_PASS, shard=1)
        self.result("PASSED", ALL_PASS, shard=2)
        self.assertEqual(self.lines(), ["4 passed, 0 failed"])

    def test_bazel_failing_before_any_test_is_one_failure(self):
        self.assertEqual(
            self.lines(36), ["FAILED  bazel (exit status 36; see its messages above)", "0 passed, 1 failed"]
        )

    def test_a_missing_or_cut_events_file_is_read_as_far_as_it_goes(self):
        path = os.path.join(self.folder.name, "events.json")
        self.assertEqual(summarize_tests.read_events(path), [])
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(json.dumps({"id": {}}) + '\n{"id": {"testRes')
        self.assertEqual(summarize_tests.read_events(path), [{"id": {}}])
        self.assertEqual(summarize_tests.main([path]), 0)
        self.assertEqual(summarize_tests.main([path, "--bazel_exit_code=1"]), 1)


ONE_OF_EACH = """
import unittest
from tools import xml_unittest
class Sample(unittest.TestCase):
    def test_passes(self): pass
    def test_fails(self): self.assertEqual(1, 2)
    def test_dies(self): raise OSError('gone')
    def test_fails_in_part(self):
        with self.subTest(part=1): self.fail('part')
    @unittest.skip('no device')
    def test_skips(self): pass
xml_unittest.main()
"""
NONE = "from tools import xml_unittest\nxml_unittest.main()\n"
GOOD = (
    "import unittest\nfrom tools import xml_unittest\nclass Sample(unittest.TestCase):\n"
    "    def test_passes(self): pass\nxml_unittest.main()\n"
)


def run(program):
    """(exit status, {case: outcome}) of the program."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        status = subprocess.run(
            [sys.executable, "-c", program],
            env=dict(os.environ, XML_OUTPUT_FILE=report),
            check=False,
            stderr=subprocess.DEVNULL,
        ).returncode
        cases = ElementTree.parse(report).getroot().iter("testcase")
        return status, {case.get("name"): [child.tag for child in case] for case in cases}


class XmlUnittestTest(unittest.TestCase):
    def test_reports_every_outcome(self):
        self.assertEqual(
            run(ONE_OF_EACH),
            (
                1,
                {
                    "test_passes": [],
                    "test_fails": ["failure"],
                    "test_dies": ["error"],
                    "test_fails_in_part": ["failure"],
                    "test_skips": ["skipped"],
                },
            ),
        )

    def test_exits_with_0_when_all_pass(self):
        self.assertEqual(run(GOOD), (0, {"test_passes": []}))

    def test_a_program_without_cases_fails(self):
        self.assertEqual(run(NONE), (1, {}))


if __name__ == "__main__":
    xml_unittest.main()
