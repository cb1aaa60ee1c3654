"""A part of //conformance/less:run in every run of the tests: each twentieth, and what once went unnoticed."""

import os
import unittest

from conformance.less import case_runs, examine, run, unnoticed, vocabulary
from conformance.less.removal import all_removals
from tools import xml_unittest

EACH = 20
ALWAYS = ("dataset.shuffle", "dataset.cache", "dataset.prefetch")


class PartTest(unittest.TestCase):
    def test_what_is_taken_out_is_noticed_or_listed(self):
        everything = all_removals(vocabulary.read_steps("."))
        part = [one for place, one in enumerate(everything) if place % EACH == 0 or one.step in ALWAYS]
        findings = run.examine_all(part, examine.Examiner(case_runs.load_cases("."), run.REFERENCE), os.cpu_count())
        names = {one.name for one in everything}
        self.assertEqual(unnoticed.complaints(unnoticed.load("."), findings, names), [])


if __name__ == "__main__":
    xml_unittest.main()
