"""Which cases show a bug: wrong wherever it is, right wherever it is not."""

import unittest

from conformance.versions import known_bugs
from conformance.versions.known_bugs import Bug, Shown
from tools import xml_unittest

VERSIONS = ("1.0", "1.1", "2.0")


def bug(*cases, broken=("1.0", "1.1"), right=("2.0",)):
    return Bug("fake", "It forgets.", ("fake/fake#1",), broken, right, cases)


def found(**verdicts):
    """Of the case a/b/NAME the verdicts of the versions, in turn."""
    changed = ((f"a/b/{name}", dict(zip(VERSIONS, given))) for name, given in verdicts.items())
    return {
        "changed": [{"id": case_id, "level": "required", "verdicts": of_versions} for case_id, of_versions in changed]
    }


def shown(*given, **names):
    return known_bugs.shown_by(bug("a/b/x", **names), found(x=given))


class KnownBugsTest(unittest.TestCase):
    def test_a_case_shows_it_that_is_wrong_with_it_and_right_without(self):
        self.assertEqual(shown("failed", "failed", "passed"), [Shown("a/b/x", "required", "failed")])
        for verdicts in (
            ("passed", "failed", "passed"),
            ("failed", "failed", "failed"),
            ("passed", "passed", "failed"),
            ("passed", "passed", "passed"),
        ):
            self.assertEqual(shown(*verdicts), [], verdicts)

    def test_the_worst_verdict_is_told(self):
        self.assertEqual(shown("warned", "errored", "passed")[0].verdict, "errored")
        self.assertEqual(shown("differs", "warned", "informational")[0].verdict, "warned")

    def test_what_was_not_answered_shows_nothing(self):
        for silent in ("unsupported", "not_run"):
            self.assertEqual(shown("failed", silent, "passed"), [])
            self.assertEqual(shown("failed", "failed", silent), [])

    def test_a_version_that_was_not_asked_shows_nothing(self):
        self.assertEqual(shown("failed", "failed", "passed", broken=("0.9",)), [])
        self.assertEqual(shown("failed", "failed", "passed", right=("3.0",)), [])

    def test_it_may_be_right_before(self):
        found_later = shown("passed", "failed", "failed", broken=VERSIONS[1:], right=VERSIONS[:1])
        self.assertEqual(len(found_later), 1)

    def test_only_its_own_cases_show_it(self):
        verdicts = ("failed", "failed", "passed")
        cases = known_bugs.shown_by(bug("a/b/y", "a/b/gone", "a/b/x"), found(x=verdicts, y=verdicts, z=verdicts))
        self.assertEqual([case.id for case in cases], ["a/b/y", "a/b/x"])


if __name__ == "__main__":
    xml_unittest.main()
