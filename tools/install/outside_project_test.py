"""Builds and runs examples/outside against an installed library, outside of this tree."""

import os
import shutil
import subprocess
import tempfile
import unittest

from tools import xml_unittest
from tools.install import install

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(xml_unittest.__file__)))
# w is 0, so the loss is the mean of (2 * x)^2 for x = 1, 2, 3, 4.
EXPECTED = "loss 30\n"


class OutsideProjectTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        cls.prefix = os.path.join(cls.folder, "prefix of its own")  # with spaces
        cls.headers = install.install(ROOT, cls.prefix, "0.9.0")
        cls.project = os.path.join(cls.folder, "project")
        os.mkdir(cls.project)
        for name in ("CMakeLists.txt", "my_training.cc"):
            shutil.copyfile(os.path.join(ROOT, "examples/outside", name), os.path.join(cls.project, name))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def run_command(self, *command, **options):
        ran = subprocess.run(command, cwd=self.project, capture_output=True, text=True, check=False, **options)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        return ran.stdout

    def test_headers_are_those_of_the_reference(self):
        self.assertGreater(self.headers, 100)
        self.assertTrue(os.path.exists(os.path.join(self.prefix, "include/lockstep/reference/lockstep.h")))
        self.assertEqual(os.listdir(os.path.join(self.prefix, "include/lockstep")), ["reference"])

    def test_cmake_project(self):
        self.run_command("cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.run_command("cmake", "--build", "build")
        self.assertTrue(self.run_command("build/my_training").endswith(EXPECTED))

    def test_cmake_refuses_another_minor_version(self):
        other = os.path.join(self.project, "other")
        os.mkdir(other)
        with open(os.path.join(other, "CMakeLists.txt"), "w", encoding="utf-8") as stream:
            stream.write(
                "cmake_minimum_required(VERSION 3.18)\nproject(other NONE)\nfind_package(Lockstep 0.8 REQUIRED)\n"
            )
        ran = subprocess.run(
            ["cmake", "-B", "other/build", "-S", "other", f"-DCMAKE_PREFIX_PATH={self.prefix}"],
            cwd=self.project,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("compatible with requested version", " ".join(ran.stderr.split()))

    def test_pkg_config_project(self):
        environment = os.environ | {"PKG_CONFIG_PATH": os.path.join(self.prefix, "lib/pkgconfig")}
        flags = self.run_command("pkg-config", "--cflags", "--libs", "lockstep", env=environment)
        self.run_command("sh", "-c", f"g++ my_training.cc -o plain {flags.strip()}")
        self.assertTrue(self.run_command("./plain").endswith(EXPECTED))


if __name__ == "__main__":
    xml_unittest.main()
