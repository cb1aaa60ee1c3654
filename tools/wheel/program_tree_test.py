"""Copies of the files that programs need."""

import os
import pathlib
import tempfile
import unittest

from tools import xml_unittest
from tools.wheel import program_tree


class CopyTreeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name, "root")
        self.target = pathlib.Path(folder.name, "target")

    def write(self, path, text="", executable=False):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755 if executable else 0o644)

    def copied(self):
        left_out = program_tree.copy_tree(self.root, self.target)
        files = sorted(str(file.relative_to(self.target)) for file in self.target.rglob("*") if file.is_file())
        return files, left_out

    def test_links_become_files(self):
        self.write("a/data.json", "{}")
        (self.root / "b").symlink_to(self.root / "a")
        self.assertEqual(self.copied(), (["a/data.json", "b/data.json"], []))
        self.assertFalse((self.target / "b").is_symlink())

    def test_what_is_bazels_own_stays(self):
        self.write("external/x")
        self.write("conformance/answers/results/jax.json")
        self.write("a/__pycache__/m.pyc")
        self.write("a/run.runfiles/lockstep/x")
        self.write("a/m.py")
        self.assertEqual(self.copied(), (["a/m.py"], []))

    def test_a_program_in_python_starts_with_the_wheels(self):
        self.write("reports/page.py", "print(1)")
        self.write("reports/page", "#!/usr/bin/python3\n# Bazel's", executable=True)
        self.copied()
        text = (self.target / "reports/page").read_text(encoding="utf-8")
        self.assertEqual(text, '#!/bin/sh\nexec "${LOCKSTEP_PYTHON:-python3}" -m reports.page "$@"\n')
        self.assertTrue(os.access(self.target / "reports/page", os.X_OK))
        self.assertFalse(os.access(self.target / "reports/page.py", os.X_OK))


if __name__ == "__main__":
    xml_unittest.main()
