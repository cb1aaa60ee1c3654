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

    def test_finds_nothing_else(self):
        for text in ("its documentation", "javascript:alert(1)", "http://a.org", ""):
            self.assertIsNone(reference_link.find(text))


if __name__ == "__main__":
    xml_unittest.main()
