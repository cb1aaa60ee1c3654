"""The README's table and picture follow from the stored answers."""

import os
import unittest

from PIL import Image

from conformance.answers import results, summary
from reports import badge
from tools import xml_unittest


class SummaryTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.table = summary.load(".")

    def test_the_readme_s_table_is_of_these_answers(self):
        with open(summary.README, encoding="utf-8") as stream:
            readme = stream.read()
        self.assertEqual(readme, summary.with_table(readme, self.table), "run //conformance:summary")

    def test_the_picture_is_of_these_answers(self):
        with Image.open(summary.PICTURE) as picture:
            self.assertEqual(
                picture.text["Description"], badge.describe(self.table.columns), "run //conformance:summary"
            )

    def test_a_readme_without_a_place_is_refused(self):
        with self.assertRaisesRegex(ValueError, "README.md has no lines"):
            summary.with_table("# Lockstep\n", self.table)

    def test_a_case_more_changes_nothing_of_the_reference(self):
        self.assertIn("| every build | all | 0 | 0 | 0 |\n", summary.markdown(self.table))

    def test_the_reference_stands_first(self):
        self.assertEqual(self.table.columns[0]["key"], "reference")
        self.assertEqual(len(self.table.columns), len(os.listdir(results.FOLDER)))


if __name__ == "__main__":
    xml_unittest.main()
