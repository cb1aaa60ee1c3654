"""A comparison as JUnit."""

import unittest
from xml.etree import ElementTree

from reports import change_junit
from reports.conformance_result_testing import case, result
from reports.result_changes import ResultChanges
from tools import xml_unittest


def junit(old, new, enforced=()):
    made = [result("mine", "Mine 1.0", cases) for cases in (old, new)]
    return ElementTree.fromstring(change_junit.to_junit(ResultChanges(*made, enforced)).encode())


def outcomes(root):
    """Claim -> the tag in its test; None: passed."""
    return {test.get("name"): next((child.tag for child in test), None) for test in root.iter("testcase")}


class JUnitTest(unittest.TestCase):
    def test_only_a_regression_fails(self):
        old = [
            case("fell"),
            case("holds"),
            case("never", "unsupported"),
            case("wrong", "failed"),
            case("died", "crashed"),
        ]
        new = [case("fell", "failed"), *old[1:], case("new_and_wrong", "failed")]
        root = junit(old, new)
        self.assertEqual(
            outcomes(root),
            {
                "fell": "failure",
                "holds": None,
                "never": "skipped",
                "wrong": "skipped",
                "died": "skipped",
                "new_and_wrong": "skipped",
            },
        )
        self.assertEqual([root.get(name) for name in ("tests", "failures", "skipped", "errors")], ["6", "1", "4", "0"])

    def test_no_change_has_no_failure(self):
        cases = [case("never", "unsupported"), case("wrong", "failed")]
        self.assertEqual(junit(cases, cases).get("failures"), "0")

    def test_the_failure_says_what_changed(self):
        (failure,) = junit([case("x")], [case("x", "failed")]).iter("failure")
        self.assertEqual((failure.get("type"), failure.get("message")), ("failed", "was: passed; now: failed"))
        self.assertEqual(failure.text, "A batch is x.\nsizes at [1][0]: was 1, is 2")

    def test_levels_that_are_enforced_are_tests(self):
        cases = [case("x", level="recommended")]
        self.assertEqual(outcomes(junit(cases, cases)), {"x": "skipped"})
        self.assertEqual(outcomes(junit(cases, cases, ["recommended"])), {"x": None})

    def test_what_xml_cannot_hold_is_replaced(self):
        new = case("x", "failed", states="a\x00b & <c>")
        (failure,) = junit([case("x")], [new]).iter("failure")
        self.assertTrue(failure.text.startswith("a\ufffdb & <c>\n"))


if __name__ == "__main__":
    xml_unittest.main()
