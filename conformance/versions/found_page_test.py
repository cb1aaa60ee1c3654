"""The page of what versions answered, and of the bugs that they had."""

import dataclasses
import unittest

from conformance.versions import found_page
from conformance.versions.known_bugs import Bug
from tools import xml_unittest


def version(name, **verdicts):
    return {
        "version": name,
        "implementation": f"Fake {name}",
        "day": "2026-11-24",
        "installed": [f"fake=={name}", "also==2"],
        "variables": {"OLD": "1"},
        "required": [1, 3],
        "verdicts": verdicts,
    }


def case(name, level, *verdicts):
    return {"id": f"a/b/{name}", "level": level, "verdicts": dict(zip(("1.0", "2.0"), verdicts))}


FOUND = {
    "fake": {
        "framework": "fake",
        "cases": 7,
        "versions": [version("1.0", passed=1, failed=3), version("2.0", passed=4)],
        "changed": [
            case("advised", "recommended", "warned", "passed"),
            *(case(name, "required", "failed", "passed") for name in "cde"),
            case("worse", "required", "passed", "failed"),
        ],
    }
}


def bug(says, *cases, framework="fake"):
    return Bug(framework, says, ("fake/fake#1", "fake/fake#22"), ("1.0",), ("2.0",), cases)


def lines(*bugs):
    return found_page.build(FOUND, bugs).splitlines()


def row(text, *bugs):
    """The cells of the only line that has the text."""
    (found,) = (line for line in lines(*bugs) if text in line)
    return [cell.strip() for cell in found.strip("|").split("|")]


class FoundPageTest(unittest.TestCase):
    def test_says_where_a_bug_is_and_which_cases_show_it(self):
        cells = row("It forgets.", bug("It forgets.", "a/b/advised", "a/b/c", "a/b/d", "a/b/e"))
        self.assertEqual(cells[3:], ["fake 1.0", "2.0", "3 failed, 1 warned", "a/b/c, a/b/d, a/b/e"])
        self.assertIn("[fake#22](https://github.com/fake/fake/issues/22)", cells[2])

    def test_a_bug_that_no_case_shows_says_so(self):
        self.assertEqual(row("It hides.", bug("It hides.", "a/b/worse"))[5:], ["none", ""])
        bugs = (bug("It hides."), bug("It forgets.", "a/b/c"))
        self.assertIn("1 of 2 public bugs show", " ".join(lines(*bugs)))

    def test_a_bug_that_shows_only_as_a_warning_is_counted_so(self):
        bugs = (bug("It forgets.", "a/b/c", "a/b/advised"), bug("It hides."), bug("It shrugs.", "a/b/advised"))
        self.assertIn("change, 1 of them only as a warning.", " ".join(lines(*bugs)))
        self.assertNotIn("warning", " ".join(lines(*bugs[:2])))

    def test_notes_stand_below_the_table_of_bugs(self):
        noted = dataclasses.replace(bug("It forgets.", "a/b/c"), note="It forgot.")
        self.assertIn("- fake#1: It forgot.", lines(noted))

    def test_a_case_that_changes_names_the_bugs_that_it_shows(self):
        bugs = (bug("It hides."), bug("It forgets.", "a/b/d"), bug("It repeats.", "a/b/d"))
        self.assertEqual(row("| a/b/d | required", *bugs)[2:], ["failed", "passed", "2, 3"])
        self.assertEqual(row("| a/b/worse |", *bugs)[2:], ["passed", "failed", ""])

    def test_versions_have_a_column_a_verdict_that_one_of_them_has(self):
        self.assertEqual(row("| run on |"), ["version", "run on", "required", "passed", "failed", "beside it"])
        self.assertEqual(row("| 2026-11-24 | 1 of 3 | 4 |"), ["2.0", "2026-11-24", "1 of 3", "4", "0", "also 2, OLD=1"])

    def test_names_the_command_that_made_it(self):
        self.assertIn("./bazelw run //conformance:versions -- fake 1.0 2.0 --publish", lines())

    def test_a_framework_that_was_not_asked_is_left_out(self):
        self.assertNotIn("It hides.", " ".join(lines(bug("It hides.", framework="other"))))


if __name__ == "__main__":
    xml_unittest.main()
