"""The patches of all frameworks: what they say of themselves, which needs no framework."""

import pathlib
import re
import unittest

from conformance.answers import frameworks
from conformance.less import case_runs
from conformance.patches import patch
from tools import xml_unittest

FEWEST = 6
PINNED = re.compile(r"^([\w.-]+)==", re.MULTILINE)


class PlantedTest(unittest.TestCase):
    def setUp(self):
        self.patches = {testee: patch.load(testee) for testee in patch.testees(".")}
        self.all = [one for patches in self.patches.values() for one in patches]

    def test_every_framework_has_some(self):
        self.assertEqual(set(self.patches), set(frameworks.load(".")))
        self.assertEqual([testee for testee, patches in self.patches.items() if len(patches) < FEWEST], [])

    def test_the_cases_they_name_exist_and_one_is_judged(self):
        cases = case_runs.load_cases(".")
        for one in self.all:
            with self.subTest(f"{one.testee}/{one.name}"):
                self.assertEqual([case for case in one.cases if case not in cases], [])
                self.assertTrue(any(cases[case].is_judged for case in one.cases))

    def test_each_says_what_it_breaks_and_of_which_version(self):
        requirements = pathlib.Path("third_party/frameworks/requirements.txt").read_text(encoding="utf-8")
        pinned = set(PINNED.findall(requirements))
        for one in self.all:
            with self.subTest(f"{one.testee}/{one.name}"):
                self.assertRegex(one.states, r"^\S.*\.$")
                versions = [part.split() for part in one.version.split(", ")]
                self.assertEqual([package for package, _ in versions if package not in pinned], [])

    def test_no_two_of_a_framework_are_the_same(self):
        for testee, patches in self.patches.items():
            with self.subTest(testee):
                self.assertEqual(len({one.states for one in patches}), len(patches))
                self.assertEqual(len({one.name for one in patches}), len(patches))


if __name__ == "__main__":
    xml_unittest.main()
