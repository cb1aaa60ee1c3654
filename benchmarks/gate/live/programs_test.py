"""Commands of sides, and programs of two commits, built in a repository whose bazelw is a stand-in: a program is the
file `program`."""

import argparse
import contextlib
import hashlib
import io
import os
import shutil
import subprocess
import tempfile
from unittest import mock

from benchmarks.gate.gate_testing import FolderTest
from benchmarks.gate.live import programs, revisions
from benchmarks.gate.process.budget import Budget, Interrupted, Interruption
from benchmarks.gate.recording import GateError, Side
from tools import xml_unittest

BAZELW = """#!/bin/sh
echo "$PWD: $*" >> "$CALLS"
case "$*" in
  *info*) echo /var/base ;;
  *shutdown*) sleep 0.2; echo "$PWD: ended" >> "$CALLS" ;;
  *build*)
    test -e broken && { echo "does not compile" >&2; exit 1; }
    mkdir -p "$CACHE" && ln -sfn "$CACHE" bazel-bin && mkdir -p bazel-bin/p/program.runfiles/data
    cp program bazel-bin/p/program && chmod +x bazel-bin/p/program
    cat user.bazelrc > bazel-bin/p/program.runfiles/data/settings 2>/dev/null || true
    # As Bazel does: links that are there are not made again.
    test -e bazel-bin/p/program.runfiles_manifest && exit
    ln -sf "$PWD/words" bazel-bin/p/program.runfiles/data/words
    echo "data/words $PWD/words" > bazel-bin/p/program.runfiles_manifest
    echo /elsewhere > bazel-bin/p/program.runfiles/MANIFEST ;;
esac
"""
PROGRAM = '#!/bin/sh\necho %s; cat "$0.runfiles/data/settings"\n'


class SideCommandTest(FolderTest):
    def setUp(self):
        super().setUp()
        for name, content in (("a", b"\x7fELF one"), ("b", b"\x7fELF two"), ("script", b"#!/bin/sh\n")):
            os.chmod(self.write(name, content), 0o755)

    def same(self, baseline, candidate):
        return programs.same_program(baseline, candidate, self.folder)

    def test_words_are_those_of_a_shell(self):
        self.assertEqual(programs.command("'a b' --x=1 --y='2 3'", "--baseline"), ("a b", "--x=1", "--y=2 3"))
        self.assertEqual(programs.words("", "--arguments"), ())
        for text, words in (("", "is empty"), ("  ", "is empty"), ("it's", "No closing quotation")):
            with self.assertRaisesRegex(GateError, words):
                programs.command(text, "--baseline")

    def test_a_side_has_the_digest_of_its_file(self):
        digest = hashlib.sha256(b"\x7fELF one").hexdigest()
        self.assertEqual(programs.side_of(("./a", "-x"), self.folder, "c1"), Side(("./a", "-x"), "c1", digest))
        self.assertEqual(programs.side_of(("./none",), self.folder), Side(("./none",)))
        self.assertNotEqual(programs.side_of(("sh",), self.folder).program, "")

    def test_one_file_under_two_names_is_one_program(self):
        os.symlink("a", os.path.join(self.folder, "link"))
        os.link(os.path.join(self.folder, "a"), os.path.join(self.folder, "hard"))
        self.assertTrue(self.same(("./a", "-x"), ("./link", "-x")))
        self.assertTrue(self.same(("./a",), (os.path.join(self.folder, "hard"),)))
        self.assertFalse(self.same(("./a",), ("./a", "--slower")))
        self.assertFalse(self.same(("./a",), ("./b",)))
        self.assertFalse(self.same(("./none",), ("./a",)))

    def test_a_copy_is_the_same_program_unless_it_is_a_script(self):
        # A script may start any file next to it.
        for name in ("a", "script"):
            shutil.copy(os.path.join(self.folder, name), os.path.join(self.folder, "copy"))
            self.assertEqual(self.same((f"./{name}",), ("./copy",)), name == "a")


class RevisionsTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.tree = os.path.join(self.folder, "tree")
        self.calls_file = os.path.join(self.folder, "calls")
        patch = mock.patch.dict(
            os.environ,
            {
                "HOME": self.folder,
                "CALLS": self.calls_file,
                "CACHE": os.path.join(self.folder, "cache"),
                "GIT_CONFIG_NOSYSTEM": "1",
            },
        )
        patch.start()
        self.addCleanup(patch.stop)
        os.mkdir(self.tree)
        self.git("init", "--quiet")
        os.chmod(self.write("bazelw", BAZELW), 0o755)
        self.write(".gitignore", "bazel-bin\nuser.bazelrc\n")
        self.write("words", "of the program")
        self.first = self.commit("first")
        self.second = self.commit("second")

    def git(self, *arguments):
        return subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=e@x", "-C", self.tree, *arguments],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()

    def path(self, name):
        """In the working tree, unless it is absolute."""
        return os.path.join(self.tree, name)

    def commit(self, word):
        self.write("program", PROGRAM % word)
        self.git("add", ".")
        self.git("commit", "--quiet", "-m", word)
        return self.git("rev-parse", "HEAD")

    def calls(self):
        return self.read(self.calls_file).splitlines()

    def worktrees(self):
        return len(self.git("worktree", "list").splitlines())

    def output(self, chosen):
        return subprocess.run(chosen.words, check=True, capture_output=True, text=True).stdout

    def choose(self, baseline, candidate=None, target="//p:program", budget=None):
        options = argparse.Namespace(baseline=baseline, candidate=candidate, target=target)
        with contextlib.redirect_stderr(io.StringIO()) as stderr:
            builds = tempfile.mkdtemp(dir=self.folder)
            chosen = programs.choose(options, self.tree, builds, budget or Budget(60))
        self.progress = stderr.getvalue()
        return chosen["baseline"], chosen["candidate"]

    def test_each_side_runs_its_own_commit_with_the_same_settings(self):
        self.write("user.bazelrc", "build --fast\n")
        baseline, candidate = self.choose("HEAD~1")
        self.assertEqual(self.output(baseline), "first\nbuild --fast\n")
        self.assertEqual(self.output(candidate), "second\nbuild --fast\n")
        self.assertEqual([each.side.commit for each in (baseline, candidate)], [self.first[:12], self.second[:12]])
        self.assertEqual(candidate.side.command, ("//p:program",))
        self.assertNotEqual(baseline.side.program, candidate.side.program)
        self.assertFalse(os.path.exists(baseline.words[0] + ".runfiles/MANIFEST"))
        self.assertEqual(self.worktrees(), 1)
        self.assertIn(f"[gate] building //p:program of {self.first}\n", self.progress)

    def test_what_is_not_committed_belongs_to_the_tree(self):
        self.write("program", PROGRAM % "third")
        baseline, candidate = self.choose("HEAD")
        self.assertEqual((self.output(baseline), self.output(candidate)), ("second\n", "third\n"))
        self.assertEqual(candidate.side.commit, self.second[:12] + "+changes")
        self.assertIn("third", self.read("program"))

    def test_two_commits(self):
        baseline, candidate = self.choose("HEAD", "HEAD~1")
        self.assertEqual((self.output(baseline), self.output(candidate)), ("second\n", "first\n"))

    def test_files_are_of_the_commit_whatever_was_built_before(self):
        self.choose("HEAD", "HEAD~1")
        for side in self.choose("HEAD~1", "HEAD"):
            self.assertTrue(os.path.exists(side.words[0] + ".runfiles/data/words"))

    def test_a_program_with_missing_files_is_refused(self):
        self.choose("HEAD~1")
        os.remove(self.path("words"))
        words = r"p/program is missing 1 of the files .*data/words among them; `./bazelw clean"
        with self.assertRaisesRegex(GateError, words):
            self.choose("HEAD~1")

    def test_a_commit_beside_a_command(self):
        baseline, candidate = self.choose("HEAD~1", "echo new")
        self.assertEqual((self.output(baseline), self.output(candidate)), ("first\n", "new\n"))
        self.assertEqual((candidate.side.command, candidate.side.commit), (("echo", "new"), ""))

    def test_commands_need_no_repository(self):
        without_git = mock.patch.object(revisions.shutil, "which", return_value=None)
        with mock.patch.dict(os.environ, {"PATH": "/bin"}), without_git:
            self.assertIsNone(revisions.enclosing(self.tree))
        self.assertIsNone(revisions.enclosing("/"))
        options = argparse.Namespace(baseline="echo a", candidate="echo b", target="//p:program")
        chosen = programs.choose(options, "/", self.folder, Budget(60))
        self.assertEqual([self.output(each) for each in chosen.values()], ["a\n", "b\n"])
        self.assertFalse(os.path.exists(self.calls_file))

    def test_a_path_to_a_program_is_no_commit(self):
        self.git("branch", "bin/true")
        os.makedirs(self.path("bin"))
        os.symlink("/bin/true", self.path("bin/true"))
        baseline, _ = self.choose("bin/true", "echo b")
        self.assertEqual(baseline.words, ("bin/true",))
        self.assertEqual(revisions.commit_of(self.tree, "bin/true"), self.second)

    def test_a_command_alone_is_refused(self):
        with self.assertRaisesRegex(GateError, r"--baseline=true names no commit here; wanted --candidate"):
            self.choose("true")

    def refused(self, words, *sides):
        """Before anything is built."""
        with self.assertRaisesRegex(GateError, words):
            self.choose(*sides)
        self.assertFalse(os.path.exists(self.calls_file))
        self.assertEqual(self.worktrees(), 1)

    def test_what_is_neither_a_commit_nor_a_program_is_refused_before_a_build(self):
        self.git("update-ref", "refs/heads/-x", self.first)
        for name in (
            "HEAD~9999",
            "-x",
            "--upload-pack=touch x",
            "HEAD:words",
            "HEAD^{tree}",
            "^HEAD",
            "HEAD..HEAD~1",
            "no such branch",
            "a\nb",
            "*",
            "refs/heads/*",
            "it's",
            "@{upstream}",
            "f" * 40,
            "./nowhere",
        ):
            with self.subTest(name=name):
                words = (
                    r"No closing quotation"
                    if "'" in name
                    else r"--baseline=.* names no commit \(of .*/tree\), no program and no result; wanted"
                )
                self.refused(words, name)
                self.refused(words.replace("baseline", "candidate"), "HEAD", name)
        self.refused("--baseline is empty", "")

    def test_a_result_is_a_file_and_no_program(self):
        self.write("old.json", "{}")
        self.assertEqual(self.choose("old.json", "true")[0].words, ("old.json",))

    def test_a_shallow_clone_says_how_to_get_the_rest(self):
        whole, self.tree = self.tree, os.path.join(self.folder, "shallow")
        subprocess.run(["git", "clone", "--quiet", "--depth=1", f"file://{whole}", self.tree], check=True)
        self.refused(r"HEAD~1.*, a shallow clone: `git fetch --unshallow` brings the rest\), no program", "HEAD~1")

    def test_without_a_work_tree_every_side_is_a_program(self):
        whole, self.tree = self.tree, os.path.join(self.folder, "bare")
        subprocess.run(["git", "clone", "--quiet", "--bare", whole, self.tree], check=True)
        with self.assertRaisesRegex(GateError, r"names no commit \(fatal: this operation must be run in a work tree\)"):
            self.choose("HEAD~1")  # HEAD is also a program, of libwww-perl
        self.tree = os.path.join(self.folder, "empty")
        os.mkdir(self.tree)
        self.git("init", "--quiet")
        self.refused(r"names no commit \(of .*/empty\), no program", "HEAD~1")

    def test_a_name_of_several_commits_is_refused(self):
        self.git("branch", "same", self.first)
        self.git("tag", "same", self.first)
        self.assertEqual(revisions.commit_of(self.tree, "same"), self.first)
        self.git("tag", "--force", "same", self.second)
        self.refused(
            rf"'same' names several commits: refs/tags/same \({self.second[:12]}\), refs/heads/same "
            rf"\({self.first[:12]}\); wanted one of these names",
            "same",
        )
        self.assertEqual(revisions.commit_of(self.tree, "heads/same"), self.first)

    def test_what_is_no_clone_of_the_project_is_refused_before_a_build(self):
        self.git("rm", "--quiet", "bazelw")
        without = self.commit("without")
        self.refused(r"tree has no bazelw, which builds the programs of commits; wanted", "HEAD~1")
        self.write("bazelw", BAZELW)
        self.refused(rf"--baseline: commit {without[:12]} has no bazelw, .*; wanted a later commit", without)

    def test_a_program_that_cannot_start_is_reported(self):
        os.chmod(self.path("bazelw"), 0o644)
        self.refused(r"tree/bazelw does not start: Permission denied", "HEAD~1")

    def test_a_branch_that_moves_while_the_tree_is_built_is_refused(self):
        self.write("bazelw", BAZELW + f"git reset --quiet --soft {self.first}\n")
        with self.assertRaisesRegex(GateError, rf"was {self.second[:12]}.*, and {self.first[:12]}.* when it was built"):
            self.choose("HEAD~1")

    def test_a_branch_that_moves_later_changes_nothing(self):
        self.git("branch", "moves", self.first)
        self.write("bazelw", BAZELW + f"git branch --force moves {self.second}\n")
        self.git("add", ".")
        self.git("commit", "--quiet", "-m", "moves it")
        baseline, _ = self.choose("moves")
        self.assertEqual((self.output(baseline), baseline.side.commit), ("first\n", self.first[:12]))
        self.assertEqual(revisions.commit_of(self.tree, "moves"), self.second)

    def test_variables_of_a_hook_name_no_other_repository(self):
        other = os.path.join(self.folder, "other")
        os.mkdir(other)
        subprocess.run(["git", "-C", other, "init", "--quiet"], check=True)
        git = os.path.join(other, ".git")
        index = os.path.join(git, "index")
        with mock.patch.dict(os.environ, GIT_DIR=git, GIT_INDEX_FILE=index, GIT_WORK_TREE=other):
            baseline, _ = self.choose("HEAD~1")
        self.assertEqual(self.output(baseline), "first\n")
        self.assertFalse(os.path.exists(index))

    def test_hooks_and_monitors_of_the_user_do_not_run(self):
        hook = self.path(".git/hooks/post-checkout")
        os.makedirs(os.path.dirname(hook), exist_ok=True)
        for path, name in ((hook, "hook"), (os.path.join(self.folder, "monitor"), "monitor")):
            os.chmod(self.write(path, f"#!/bin/sh\ntouch {self.folder}/{name}_ran\n"), 0o755)
        self.git("config", "core.fsmonitor", os.path.join(self.folder, "monitor"))
        self.choose("HEAD~1")
        self.assertFalse([name for name in os.listdir(self.folder) if name.endswith("_ran")])

    def test_commits_are_built_by_the_cache_of_the_tree(self):
        self.choose("HEAD~1")
        self.assertEqual(self.calls()[:2], [f"{self.tree}: build //p:program", f"{self.tree}: info output_base"])
        self.assertEqual(
            [call.partition(": ")[2] for call in self.calls()[2:]],
            ["--output_base=/var/base build //p:program", "--output_base=/var/base shutdown", "ended"],
        )

    def test_a_commit_that_does_not_build_leaves_no_tree(self):
        self.write("broken", "")
        self.git("add", "broken")
        self.commit("broken")
        self.git("rm", "--quiet", "broken")
        self.commit("mended")
        with self.assertRaisesRegex(GateError, r"bazelw --output_base=\S+ build //p:program in .* exit status 1"):
            self.choose("HEAD~1")
        self.assertEqual(
            (self.worktrees(), sorted(os.listdir(self.tree))),
            (1, [".git", ".gitignore", "bazel-bin", "bazelw", "program", "words"]),
        )

    def test_a_label_that_is_no_program_is_refused(self):
        with self.assertRaisesRegex(GateError, "left no program .*/p/other"):
            self.choose("HEAD~1", target="//p:other")

    def test_a_build_can_be_interrupted(self):
        self.write("bazelw", "#!/bin/sh\nkill -TERM $PPID\nsleep 60\n")
        with Interruption() as interruption, self.assertRaises(Interrupted):
            self.choose("HEAD~1", budget=Budget(60, interruption))
        self.assertEqual(self.worktrees(), 1)

    def test_the_server_ends_also_where_a_build_of_a_commit_is_interrupted(self):
        interrupts = "    test -e signal && kill -TERM $PPID && exec sleep 60\n"
        self.write("bazelw", BAZELW.replace("    test -e broken", interrupts + "    test -e broken"))
        self.write("signal", "")
        self.git("add", "signal", "bazelw")
        self.commit("interrupts")
        self.git("rm", "--quiet", "signal")
        self.commit("third")
        with Interruption() as interruption, self.assertRaises(Interrupted):
            self.choose("HEAD~1", budget=Budget(60, interruption))
        self.assertEqual(
            [call.partition(": ")[2] for call in self.calls()[-2:]], ["--output_base=/var/base shutdown", "ended"]
        )
        self.assertEqual(self.worktrees(), 1)

    def test_the_server_ends_also_where_a_build_removes_its_tree(self):
        self.write("bazelw", BAZELW.replace("  *build*)", '  *--output_base*build*) rm -rf "$PWD" ;;\n  *build*)'))
        self.git("add", "bazelw")
        self.commit("removes")
        with self.assertRaisesRegex(GateError, "left no program"):
            self.choose("HEAD")
        self.assertEqual(self.calls()[-1], f"{self.tree}: ended")

    def test_a_server_that_does_not_end_is_reported(self):
        self.write("bazelw", BAZELW.replace("sleep 0.2;", "exit 7;"))
        self.git("add", "bazelw")
        self.commit("third")
        self.choose("HEAD")
        self.assertRegex(
            self.progress, r"the Bazel server of .*/worktree may still run, shutdown failed: .* exit status 7"
        )

    def test_names_of_commits(self):
        self.assertEqual(revisions.commit_of(self.tree, "HEAD~1"), self.first)
        for name in ("no-such-branch", "--all", "./program", ""):
            self.assertIsNone(revisions.commit_of(self.tree, name))


if __name__ == "__main__":
    xml_unittest.main()
