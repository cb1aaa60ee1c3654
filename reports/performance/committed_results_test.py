"""Committed results can be read, and the pictures in the README are what its command makes of them."""

import json
import os
import platform
import re
import shlex
import unittest
import unittest.mock
import xml.etree.ElementTree

from reports.performance import performance, result_set
from reports.performance.result_testing import folder
from tools import xml_unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PICTURES = "docs/pictures"
COMMAND = re.compile(r"^\./bazelw run //reports:performance -- ((?:.*\\\n)*.*--pictures=%s)$" % PICTURES, re.M)
# Matplotlib's output differs in its last digits from version to version, and with fonts: on other systems only what is
# drawn is compared.
DRAWN_ON = ("debian", "12")


def read(*names):
    with open(os.path.join(ROOT, *names), encoding="utf-8") as file:
        return file.read()


def drawn(svg):
    """What a picture holds of its data."""
    [description] = xml.etree.ElementTree.fromstring(svg).iter("{http://purl.org/dc/elements/1.1/}description")
    return json.loads(description.text)


def system():
    release = platform.freedesktop_os_release()
    return release.get("ID"), release.get("VERSION_ID")


class CommittedResultsTest(unittest.TestCase):
    def test_all_can_be_shown(self):
        results = result_set.load([os.path.join(ROOT, "benchmarks", "results")])
        self.assertEqual(results.notes, [])
        for series in results.series:
            self.assertTrue(series.name.labels, series.name)


class PicturesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        [command] = COMMAND.findall(read("README.md"))
        cls.made = folder()
        arguments = [argument for argument in shlex.split(command.replace("\\\n", " ")) if "--pictures" not in argument]
        with unittest.mock.patch.dict(os.environ, BUILD_WORKING_DIRECTORY=ROOT):
            cls.status = performance.main([*arguments, f"--pictures={cls.made}"])

    def test_the_command_makes_these_and_no_others(self):
        self.assertEqual(self.status, 0)
        self.assertEqual(sorted(os.listdir(self.made)), sorted(os.listdir(os.path.join(ROOT, PICTURES))))

    def test_they_are_what_the_command_makes(self):
        for name in os.listdir(self.made):
            made, committed = read(self.made, name), read(PICTURES, name)
            self.assertEqual(drawn(made), drawn(committed), name)
            if system() == DRAWN_ON:
                self.assertEqual(made, committed, name)

    def test_each_is_shown(self):
        shown = re.findall(r"!\[[^]]+\]\((?:\.\./)?([^)]+)\)", read("README.md") + read("benchmarks", "README.md"))
        shown = [path for path in shown if path.startswith(PICTURES)]  # others are of other pages
        self.assertEqual(sorted(shown), sorted(f"{PICTURES}/{name}" for name in os.listdir(self.made)))


if __name__ == "__main__":
    xml_unittest.main()
