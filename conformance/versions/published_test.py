"""What is committed of past versions: it shows the bugs that it says it shows."""

import unittest

from conformance.versions import found_page, found_table, framework_table, known_bugs
from tools import xml_unittest
from tools.check_cases import case_files

# Of the public bugs that are written down, so many may not show as a verdict that changes.
NOT_SHOWN = 1


class PublishedTest(unittest.TestCase):
    def setUp(self):
        self.found = found_table.load_all()
        self.bugs = known_bugs.load()

    def test_every_bug_is_of_versions_that_were_asked(self):
        for bug in self.bugs:
            entries = {version["version"] for version in self.found[bug.framework]["versions"]}
            self.assertLessEqual({*bug.broken, *bug.right}, entries, bug.says)
            self.assertFalse(set(bug.broken) & set(bug.right), bug.says)

    def test_every_case_that_a_bug_names_shows_it(self):
        for bug in self.bugs:
            shown = known_bugs.shown_by(bug, self.found[bug.framework])
            self.assertEqual([case.id for case in shown], list(bug.cases), bug.says)

    def test_bugs_show(self):
        hidden = [bug.says for bug in self.bugs if not known_bugs.shown_by(bug, self.found[bug.framework])]
        self.assertLessEqual(len(hidden), NOT_SHOWN, hidden)

    def test_cases_of_bugs_exist(self):
        known = {case["id"] for case in case_files.all_cases(".")}
        for bug in self.bugs:
            self.assertLessEqual(set(bug.cases), known, bug.says)

    def test_what_was_installed_is_what_the_table_of_frameworks_says(self):
        table = framework_table.load()
        for name, found in self.found.items():
            for version in found["versions"]:
                self.assertEqual(version["installed"], table[name].requirements(version["version"]))
                self.assertEqual(version["variables"], table[name].variables(version["version"]))

    def test_a_version_has_a_verdict_on_every_case(self):
        for name, found in self.found.items():
            versions = [version["version"] for version in found["versions"]]
            for version in found["versions"]:
                self.assertEqual(sum(version["verdicts"].values()), found["cases"], name)
            for case in found["changed"]:
                self.assertEqual(list(case["verdicts"]), versions, case["id"])
                self.assertGreater(len(set(case["verdicts"].values())), 1, case["id"])

    def test_the_page_has_every_bug(self):
        page = found_page.build(self.found, self.bugs)
        for bug in self.bugs:
            self.assertIn(bug.says, page)


if __name__ == "__main__":
    xml_unittest.main()
