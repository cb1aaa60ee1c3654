"""The stored answers as they stand: small enough, of a testee each, and judged as their lists say."""

import glob
import json
import os
import re
import unittest

from conformance.answers import results
from tools import xml_unittest

# Of all files of answers together.
BYTES_A_CASE = 4 << 10


def load(path):
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


class StoredAnswersTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.files = sorted(glob.glob("conformance/answers/*/*.json"))
        self.files = [path for path in self.files if not path.startswith(results.FOLDER)]
        self.results = results.load_all()

    def test_a_file_is_called_by_its_testee_and_version(self):
        names = {testee["name"] for testee in load("conformance/testees.json")["testees"]}
        for path in self.files:
            folder, name = path.split("/")[-2:]
            self.assertIn(folder, names)
            self.assertIn(name[: -len(".json")], load(path)["testee"]["implementation"])

    def test_all_together_are_small(self):
        self.assertTrue(self.files)
        cases = max(len(load(path)["cases"]) for path in self.files)
        self.assertLess(sum(os.path.getsize(path) for path in self.files), BYTES_A_CASE * cases)

    def test_no_path_of_a_machine_is_in_them(self):
        for path in self.files:
            with open(path, encoding="utf-8") as stream:
                found = re.findall(r"/(?:tmp|home|root|usr|var)/[^\s\"]*", stream.read())
            self.assertEqual(found, [], path)

    def test_what_was_answered_is_as_the_lists_say(self):
        for name, result in self.results.items():
            self.assertEqual([f"{one['subject']}: {one['text']}" for one in result["unexpected"]], [], name)

    def test_the_reference_passes_every_case(self):
        cases = self.results["reference"]["cases"]
        self.assertEqual([case["id"] for case in cases if case["verdict"] not in ("passed", "informational")], [])


if __name__ == "__main__":
    xml_unittest.main()
