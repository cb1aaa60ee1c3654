"""CITATION.cff: its version is the project's, and it has what the format requires."""

import unittest

import yaml

from tools import xml_unittest


class CitationTest(unittest.TestCase):
    def read(self, name):
        with open(name, encoding="utf-8") as stream:
            return stream.read()

    def test_its_version_is_the_projects(self):
        citation = yaml.safe_load(self.read("CITATION.cff"))
        self.assertEqual(citation["version"], self.read("VERSION").strip())

    def test_it_has_what_the_format_requires(self):
        citation = yaml.safe_load(self.read("CITATION.cff"))
        for field in ("cff-version", "message", "title", "authors"):
            self.assertTrue(citation[field], field)


if __name__ == "__main__":
    xml_unittest.main()
