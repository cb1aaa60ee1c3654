"""Folders of versions: whole or not there, and each installed once."""

import concurrent.futures
import os
import signal
import tempfile
import unittest

from conformance.versions import framework_table
from conformance.versions.fake_environment import HONEST, FakeEnvironment, survivors_of
from conformance.versions.version_folders import NotInstalled, VersionFolders
from tools import xml_unittest


class VersionFoldersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.environment = FakeEnvironment(folder.name, {"1.0": HONEST, "1.1": HONEST, "9.0": "never ends"})
        self.folders = VersionFolders(self.environment.python)

    def left(self):
        """What lies among the versions, locks apart."""
        return sorted(name for name in os.listdir(self.environment.versions) if not name.endswith(".lock"))

    def test_each_version_is_installed_once_in_a_folder_of_its_own(self):
        first = self.folders.find(["fake==1.0"])
        with open(os.path.join(first.path, "fake.py"), encoding="utf-8") as file:
            self.assertIn("'1.0'", file.read())
        self.assertGreater(first.seconds, 0)
        self.folders.find(["fake==1.1", "also==1.0"])
        self.assertEqual(self.left(), ["fake-1.0", "fake-1.1+also-1.0"])
        again = self.folders.find(["fake==1.0"])
        self.assertEqual((again.path, again.seconds), (first.path, 0))
        self.assertEqual(len(self.environment.installed()), 2)

    def test_pip_is_asked_for_what_is_named_and_nothing_it_depends_on(self):
        self.folders.find(["fake==1.0"])
        (requirement,) = self.environment.installed()
        self.assertIn("--no-deps", requirement)
        self.assertTrue(requirement.endswith("fake==1.0"), requirement)

    def test_what_pip_says_last_is_told_and_nothing_is_left(self):
        for _ in range(2):
            with self.assertRaisesRegex(NotInstalled, "looking\nERROR: there is no fake 2.0"):
                self.folders.find(["fake==1.0", "fake==2.0"])
        self.assertEqual(self.left(), [])

    def test_what_was_left_half_made_is_made_anew(self):
        half = self.environment.versions / "fake-1.0.unfinished"
        half.mkdir(parents=True)
        (half / "old").touch()
        found = self.folders.find(["fake==1.0"])
        self.assertEqual(sorted(os.listdir(found.path)), ["begun", "fake.py"])
        self.assertEqual(self.left(), ["fake-1.0"])

    def test_two_at_a_time_install_it_once(self):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: self.folders.find(["fake==1.0"]).path, range(4)))
        self.assertEqual(len(set(found)), 1)
        self.assertEqual(len(self.environment.installed()), 1)

    def test_an_interruption_ends_pip_and_what_it_started(self):
        def interrupt(*unused):
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, interrupt)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, 1)
        with self.assertRaises(KeyboardInterrupt):
            self.folders.find(["fake==9.0"])
        self.assertEqual(survivors_of("fake-9.0"), [])
        self.assertEqual(self.left(), [])


class FrameworkTableTest(unittest.TestCase):
    def test_what_goes_with_a_version(self):
        framework = framework_table.Framework(
            "f",
            "pip_f",
            "t",
            (
                framework_table.Together("1.2*", ("a==3",), (("OLD", "1"),)),
                framework_table.Together("1.*", ("b=={version}",)),
            ),
        )
        self.assertEqual(framework.requirements("1.25"), ["pip_f==1.25", "a==3"])
        self.assertEqual(framework.requirements("1.3"), ["pip_f==1.3", "b==1.3"])
        self.assertEqual(framework.requirements("2.0"), ["pip_f==2.0"])
        self.assertEqual([framework.variables(version) for version in ("1.25", "1.3", "2.0")], [{"OLD": "1"}, {}, {}])

    def test_every_framework_of_the_table_has_a_testee(self):
        with open("conformance/testees.json", encoding="utf-8") as file:
            testees = file.read()
        table = framework_table.load()
        self.assertIn("keras", table)
        for framework in table.values():
            self.assertIn(f'"name": "{framework.testee}"', testees)

    def test_versions_are_versions(self):
        for text, wanted in (
            ("3.4.1", True),
            ("2.0.0rc1", True),
            ("1.0+cpu", True),
            ("--pre", False),
            ("3.4.1 evil", False),
            ("latest", False),
            ("", False),
        ):
            self.assertEqual(bool(framework_table.VERSION.fullmatch(text)), wanted, text)


if __name__ == "__main__":
    xml_unittest.main()
