import pathlib
import unittest

from tools import xml_unittest

import make_venv


class CacheDirTest(unittest.TestCase):
    def test_the_projects_own_variable_comes_first(self):
        variables = {"LOCKSTEP_CACHE_DIR": "/tmp/a", "XDG_CACHE_HOME": "/tmp/b"}
        self.assertEqual(make_venv.cache_dir(variables), pathlib.Path("/tmp/a"))

    def test_then_the_desktops(self):
        variables = {"XDG_CACHE_HOME": "/tmp/b", "HOME": "/tmp/c"}
        self.assertEqual(
            make_venv.cache_dir(variables), pathlib.Path("/tmp/b/lockstep")
        )

    def test_then_the_home(self):
        found = make_venv.cache_dir({"HOME": "/tmp/c"})
        self.assertEqual(found, pathlib.Path("/tmp/c/.cache/lockstep"))


class EnvironmentNameTest(unittest.TestCase):
    def test_it_changes_with_every_part_and_only_then(self):
        name = make_venv.environment_name(["torch==1", "3.11"])
        self.assertRegex(name, "^frameworks-[0-9a-f]{12}$")
        self.assertEqual(name, make_venv.environment_name(["torch==1", "3.11"]))
        self.assertNotEqual(name, make_venv.environment_name(["torch==2", "3.11"]))
        self.assertNotEqual(name, make_venv.environment_name(["torch==13.1", "1"]))


class RequirementsTest(unittest.TestCase):
    def test_every_package_is_pinned(self):
        lines = (make_venv.HERE / "requirements.txt").read_text().splitlines()
        packages = [line for line in lines if not line.startswith("#")]
        self.assertGreater(len(packages), 30)
        for package in packages:
            self.assertRegex(package, r"^[\w.-]+==[\w.]+$")


if __name__ == "__main__":
    xml_unittest.main()
