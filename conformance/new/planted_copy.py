"""A copy of what scaffolds read and write, for the tests that follow one to its end."""

import contextlib
import io
import os
import shutil
import unittest

from conformance.new import new
from tools import check_words, placeholder, source_tree

SUFFIXES = (".cc", ".clang-format", ".h", ".json", ".md", ".py", "BUILD")


class PlantedCopy(unittest.TestCase):
    """self.root is a copy of the workspace's files, without what implementations answered."""

    maxDiff = None
    FOLDERS: tuple[str, ...] = ("conformance/", "docs/", "tools/check_cases/", ".clang-format")

    def setUp(self):
        self.root = os.path.join(os.environ["TEST_TMPDIR"], self.id())
        workspace = source_tree.find_root()
        for path in source_tree.list_files(workspace, SUFFIXES):
            if path.startswith(self.FOLDERS) and not path.startswith("conformance/answers/"):
                place = os.path.join(self.root, path)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                shutil.copy(os.path.join(workspace, path), place)
        self.addCleanup(shutil.rmtree, self.root)
        self._before = self._contents()

    def scaffold(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(new.main(arguments, self.root), 0)

    def not_filled_in(self):
        """The files in which placeholders are left, by the check of the whole tree."""
        return sorted(
            {problem.split(":")[0] for problem in check_words.check(self.root) if ": not filled in: " in problem}
        )

    def read(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as stream:
            return stream.read()

    def fill_in(self, path, *texts):
        """Puts the texts in place of the file's placeholders, in their order."""
        text = self.read(path)
        left = placeholder.PLACEHOLDER.findall(text)
        self.assertEqual(len(left), len(texts), left)
        for what, own in zip(left, texts):
            text = text.replace(placeholder.fill(what), own, 1)
        self.write(path, text)

    def write(self, path, text):
        with open(os.path.join(self.root, path), "w", encoding="utf-8") as stream:
            stream.write(text)

    def assert_touched(self, *paths):
        """These files, and no others, are not as they were; all is filled in."""
        self.assertEqual(self.not_filled_in(), [])
        now = self._contents()
        touched = {path for path in {*now, *self._before} if now.get(path) != self._before.get(path)}
        self.assertEqual(sorted(touched), sorted(paths))

    def _contents(self):
        return {path: self.read(path) for path in source_tree.list_files(self.root)}
