"""What is said of a patch once its cases have run."""

import unittest
from unittest import mock

from conformance.patches import patch, run
from tools import xml_unittest

FIRST, SECOND = (
    "equivalence/batches/a_full_batch_trains_as_one",
    "equivalence/batches/each_step_takes_the_next_global_batch",
)


def finding(before, after, *cases):
    planted = patch.Patch("mine", "bug", "It breaks.", "torch 1.0", cases or (FIRST,), None)
    return run.Finding(planted, before, after)


class RunTest(unittest.TestCase):
    def test_a_case_notices_where_it_holds_without_the_patch_alone(self):
        for before, after, noticed in (
            ("passed", "failed", True),
            ("departed", "errored", True),
            ("passed", "warned", True),
            ("passed", "passed", False),
            ("warned", "warned", False),
            ("warned", "passed", False),
            ("passed", "unsupported", False),
            ("failed", "failed", False),
            (None, "failed", False),
        ):
            with self.subTest(f"{before}, then {after}"):
                found = finding({FIRST: before}, {FIRST: after})
                self.assertEqual(found.noticed_by, [FIRST] if noticed else [])
                self.assertEqual(found.not_by, [] if noticed else [FIRST])

    def test_a_line_says_who_did_not_notice(self):
        found = finding({FIRST: "passed", SECOND: "passed"}, {FIRST: "failed", SECOND: "passed"}, FIRST, SECOND)
        self.assertEqual(found.describe(), f"mine/bug: noticed by 1 of 2\n    {SECOND} passed, then passed")
        self.assertIn("hidden", finding({FIRST: "passed"}, {FIRST: "passed"}).describe())

    def test_a_patched_testee_is_given_the_cases_that_it_names(self):
        asked = []

        def results_of(testee, deadline, *arguments):
            asked.append((testee, arguments[0].partition("=")[0]))
            verdict = "passed" if arguments[0] == "--judge" else "failed"
            return [{"id": case, "verdict": verdict} for case in patch.load("jax")[0].cases]

        with mock.patch.object(run, "results_of", results_of):
            first = patch.load("jax")[0].name
            (found,) = run.examine_all(run.parse_arguments(["--testee=jax", f"--only={first}"]))
        self.assertEqual(found.not_by, [])
        command = f"{{python}} -m conformance.patches.apply jax/{first} conformance.testees.jax.testee"
        self.assertEqual(asked, [("jax", "--judge"), (command, "--cases")])

    def test_a_case_without_a_stored_answer_is_asked_for(self):
        asked = []

        def results_of(testee, deadline, *arguments):
            asked.append((testee, arguments[0].partition("=")[0]))
            cases = patch.load("jax")[0].cases
            return [{"id": case, "verdict": "passed"} for case in (() if arguments[0] == "--judge" else cases)]

        with mock.patch.object(run, "results_of", results_of):
            (found,) = run.examine_all(run.parse_arguments(["--testee=jax", "--only=" + patch.load("jax")[0].name]))
        self.assertEqual(asked[:2], [("jax", "--judge"), ("jax", "--cases")])
        self.assertEqual(set(found.before.values()), {"passed"})

    def test_a_patch_that_cannot_be_planted_is_told_and_fails(self):
        def results_of(testee, deadline, *arguments):
            if "apply" in testee:
                raise run.RunFailed("Traceback\nImportError: no name 'psum'")
            return [{"id": case, "verdict": "passed"} for case in patch.load("jax")[0].cases]

        with mock.patch.object(run, "results_of", results_of):
            status = run.main(["--testee=jax", "--only=" + patch.load("jax")[0].name])
            (found,) = run.examine_all(run.parse_arguments(["--testee=jax", "--only=" + patch.load("jax")[0].name]))
        self.assertEqual(status, 1)
        self.assertIn("not tried: ImportError: no name 'psum'", found.describe())
        self.assertIn("| not tried |", run.to_markdown([found]))

    def test_reports_name_the_hidden(self):
        findings = [finding({FIRST: "passed"}, {FIRST: "failed"}), finding({FIRST: "passed"}, {FIRST: "passed"})]
        self.assertEqual(run.summary(findings), "1 of 2 patches are noticed")
        self.assertIn("| mine | bug | It breaks. | hidden |", run.to_markdown(findings))
        self.assertEqual(run.to_json(findings)["patches"][1]["not_by"], [FIRST])


if __name__ == "__main__":
    xml_unittest.main()
