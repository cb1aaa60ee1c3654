"""The page of the scripts follows defects.json."""

import json
import unittest

from conformance.defects import readme
from tools import xml_unittest


class ReadmeTest(unittest.TestCase):
    def setUp(self):
        with open(readme.DEFECTS, encoding="utf-8") as stream:
            self.defects = json.load(stream)
        with open(readme.PAGE, encoding="utf-8") as stream:
            self.page = stream.read()

    def test_the_page_is_made_of_the_list(self):
        self.assertEqual(self.page, readme.build("."), "./bazelw run //conformance/defects:readme makes it again")

    def test_every_script_stands_in_it(self):
        for defect in self.defects:
            self.assertIn("](%s) | %s |" % (defect["script"], defect["shows"]), self.page)


if __name__ == "__main__":
    xml_unittest.main()
