"""What counts as the source tree: in a checkout, in an unpacked archive."""

import os
import subprocess
from unittest import mock

from tools import source_tree, xml_unittest


class SourceTreeTest(source_tree.PlantedTree):
    def git(self, *arguments):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments],
            cwd=self.root,
            check=True,
            stdout=subprocess.DEVNULL,
        )

    def checkout(self, *paths):
        """Makes the tree a checkout that tracks `paths`."""
        self.git("init", "--quiet")
        for path in paths:
            self.plant(path)
        self.git("add", *paths)

    def test_a_checkout_is_what_git_tracks(self):
        self.checkout("a.md", "b/ä c.py", ".ci/run")
        self.git("commit", "--quiet", "-m", "x")
        self.plant("added.md")
        self.git("add", "added.md")
        self.plant("scaling-20260131-120000.html")
        self.plant("results/scaling.json")
        self.assertEqual(source_tree.list_files(self.root), [".ci/run", "a.md", "added.md", "b/ä c.py"])
        self.assertEqual(source_tree.list_files(self.root, (".py",)), ["b/ä c.py"])

    def test_new_files_that_are_not_ignored_are_there_for_those_who_ask(self):
        self.checkout("a.md", ".gitignore")
        self.plant(".gitignore", "/results/\n")
        self.plant("new.md")
        self.plant("results/scaling.json")
        self.assertEqual(source_tree.list_files(self.root, untracked=True), [".gitignore", "a.md", "new.md"])

    def test_a_file_that_is_gone_and_a_link_do_not_count(self):
        self.checkout("a.md", "gone.md")
        os.remove(os.path.join(self.root, "gone.md"))
        os.symlink("a.md", os.path.join(self.root, "link.md"))
        self.git("add", "link.md")
        self.assertEqual(source_tree.list_files(self.root), ["a.md"])

    def test_variables_of_a_hook_do_not_lead_elsewhere(self):
        self.checkout("a.md")
        with mock.patch.dict(os.environ, GIT_DIR="/nonexistent", GIT_INDEX_FILE="/nonexistent"):
            self.assertEqual(source_tree.list_files(self.root), ["a.md"])

    def test_an_unpacked_archive_is_everything_but_what_our_commands_make(self):
        for path in ["a.md", "benchmarks/results/kept.json", "results/scaling.json", "bazel-bin/x", "user.bazelrc"]:
            self.plant(path)
        self.assertEqual(source_tree.list_files(self.root), ["a.md", "benchmarks/results/kept.json"])

    def test_a_checkout_without_git_is_read_like_an_archive(self):
        self.checkout("a.md")
        self.plant("b.md")
        with mock.patch.dict(os.environ, PATH="/nonexistent"):
            self.assertEqual(source_tree.list_files(self.root), ["a.md", "b.md"])

    def test_a_git_that_fails_is_an_error_and_no_empty_tree(self):
        self.checkout("a.md")
        with open(os.path.join(self.root, ".git/index"), "wb") as stream:
            stream.write(b"damaged")
        with self.assertRaisesRegex(OSError, "git cannot list the files"):
            source_tree.list_files(self.root)


if __name__ == "__main__":
    xml_unittest.main()
