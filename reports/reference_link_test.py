import unittest

from reports import reference_link
from tools import xml_unittest


class ReferenceLinkTest(unittest.TestCase):
    def test_finds_an_address(self):
        self.assertEqual(reference_link.find("see (https://a.org/x_y#z), there"),
                         "https://a.org/x_y#z")

    def test_finds_an_issue(self):
        self.assertEqual(reference_link.find("keras-team/keras#20609 and others"),
                         "https://github.com/keras-team/keras/issues/20609")

    def test_finds_a_file(self):
        self.assertEqual(
            reference_link.find("a/b:c/d_e/values.py (_update), against c/f.py"),
            "https://github.com/a/b/blob/HEAD/c/d_e/values.py")

    def test_finds_nothing_else(self):
        for text in ("its documentation", "c/values.py (update)", "at 10:30", "javascript:alert(1)", "http://a.org", ""):
            self.assertIsNone(reference_link.find(text))


if __name__ == "__main__":
    xml_unittest.main()
