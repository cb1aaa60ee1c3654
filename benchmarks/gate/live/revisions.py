"""Commits of the user's repository, as git knows them, and programs built of them and of the working tree.

All are built by the working tree's own Bazel cache (its output base), one after the other: of another commit only what
differs is compiled. So a commit's build costs what changing to it and back would cost, and the tree is not touched.
Bazel thinks links to a commit's sources still good when the next build finds the same files elsewhere: they are
removed before the sources are. Copies of the programs are kept, which no later build changes.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys

from benchmarks.gate.process.budget import Budget, BudgetSpent
from benchmarks.gate.recording import CHANGED, GateError
from command_line.user_paths import surroundings
from processes.process_group import ProcessGroup

# Kinds of names that git would take one of, and say nothing.
_KINDS = ("refs/tags/", "refs/heads/", "refs/remotes/")
_HASH = re.compile(r"[0-9a-f]{40,64}")
# Variables by which git informs its hooks of a repository.
_HOOKS_OWN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX")
# Of the user's settings, those by which git would start programs or leave one running.
_SETTINGS = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "submodule.recurse=false")

# Seconds that Bazel has to stop a build cleanly, and the longest that a build may take.
_GRACE = 20
_LONGEST = 86400
# Those that a server has to end.
_SHUTDOWN = 60
# What builds, in each tree.
BUILD_PROGRAM = "bazelw"
# After a program's name, the folder of links to the files that it reads.
RUNFILES = ".runfiles"


def enclosing(folder):
    """The root of the working tree that contains a folder; None outside of one, and where there is no git."""
    return _output(folder, "rev-parse", "--show-toplevel") if shutil.which("git") else None


def why_none(folder):
    """Git's own message where a folder is in no working tree, or in one that belongs to another user."""
    if not shutil.which("git"):
        return "there is no git"
    return (_git(folder, ("rev-parse", "--show-toplevel")).stderr.strip().splitlines() or ["no work tree"])[0]


def commit_of(checkout, reference):
    """The full hash of the commit that `reference` (a branch, a tag, HEAD~3) names; None where it names none.

    Errors: GateError for a name of several, of a tag and of a branch.
    """
    if reference.startswith("-"):
        return None
    found = {kind: _commit(checkout, kind + reference) for kind in _KINDS}
    named = {kind: commit for kind, commit in found.items() if commit}
    if len(set(named.values())) > 1:
        listed = ", ".join(f"{kind}{reference} ({commit[:12]})" for kind, commit in named.items())
        raise GateError(f"[gate] {reference!r} names several commits: {listed}; wanted one of these names")
    return _commit(checkout, reference)


def is_shallow(checkout):
    """Whether the repository is a shallow clone."""
    return _output(checkout, "rev-parse", "--is-shallow-repository") == "true"


def has_file(checkout, commit, path):
    """Whether there is such a file in a commit."""
    return _output(checkout, "cat-file", "-e", f"{commit}:{path}") is not None


def description(checkout):
    """The working tree's commit as a hash of twelve digits, with CHANGED where tracked files were changed."""
    commit = _run(checkout, "rev-parse", "--short=12", "HEAD")
    changes = _run(checkout, "status", "--porcelain", "--untracked-files=no")
    return commit + (CHANGED if changes else "")


def add_worktree(checkout, folder):
    """Makes a further working tree in the new folder `folder`, empty yet. Errors: GateError with git's words."""
    _run(checkout, "worktree", "add", "--quiet", "--detach", "--no-checkout", folder)


def put(worktree, commit):
    """Puts the files of a commit into a further working tree."""
    _run(worktree, "checkout", "--quiet", "--force", "--detach", commit)


def remove_worktree(checkout, folder):
    """Removes what add_worktree made, whatever was built or changed in it."""
    _run(checkout, "worktree", "remove", "--force", folder)


def _commit(checkout, reference):
    found = _output(checkout, "rev-parse", "--verify", "--quiet", reference + "^{commit}")
    return found if found and _HASH.fullmatch(found) else None  # of ^HEAD it is another text


def _run(checkout, *arguments):
    done = _git(checkout, arguments)
    if done.returncode:
        raise GateError(f"[gate] git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def _output(checkout, *arguments):
    """Its output, or None where it fails."""
    done = _git(checkout, arguments)
    return None if done.returncode else done.stdout.strip()


def _git(checkout, arguments):
    """The repository is that of the folder, also in a hook, where variables name another one."""
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    kept = {name: value for name, value in os.environ.items() if name not in _HOOKS_OWN}
    return subprocess.run(
        ["git", *settings, "-C", checkout, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        check=False,
        env={**kept, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"},
    )


class Builder:
    """Builds the program `target` in and of `checkout` (the working tree's root) into the existing folder `folder`.

    `budget`: a Budget that ends a build with an error. Bazel's progress goes to stderr.
    """

    def __init__(self, checkout, target, folder, budget):
        self._checkout, self._target, self._folder, self._budget = checkout, target, folder, budget

    def build_tree(self):
        """Path of the working tree's program as it is now, changes included. Errors: GateError, as all of these."""
        return self._build(self._checkout, "tree")

    def build_commits(self, commits):
        """[path of the program] of full hashes, in their order."""
        base = self._bazel(self._checkout, "info", "output_base").strip()
        with self._worktree() as tree:
            try:
                return [self._build_commit(tree, base, commit) for commit in commits]
            finally:
                self._shut_down(tree, base)

    @contextlib.contextmanager
    def _worktree(self):
        tree = os.path.join(self._folder, "worktree")
        add_worktree(self._checkout, tree)
        try:
            yield tree
        finally:
            _forget_links(tree)
            remove_worktree(self._checkout, tree)

    def _build_commit(self, tree, base, commit):
        put(tree, commit)
        own = os.path.join(self._checkout, "user.bazelrc")
        if os.path.exists(own):
            shutil.copy(own, tree)  # built with other settings its speed would mean nothing
        return self._build(tree, commit, f"--output_base={base}")

    def _shut_down(self, tree, base):
        """Else Bazel's server keeps running in a deleted folder. An interrupted gate waits for this too."""
        there = os.path.exists(os.path.join(tree, BUILD_PROGRAM))  # unless no commit could be put there
        try:
            self._bazel(
                tree if there else self._checkout, f"--output_base={base}", "shutdown", budget=Budget(_SHUTDOWN)
            )
        except (BudgetSpent, GateError) as error:
            print(
                f"[gate] the Bazel server of {tree} may still run, shutdown failed: "
                f"{error or f'no end within {_SHUTDOWN} s'}",
                file=sys.stderr,
                flush=True,
            )

    def _build(self, tree, name, *startup):
        print(f"[gate] building {self._target} of {name}", file=sys.stderr, flush=True)
        self._bazel(tree, *startup, "build", self._target)
        package, _, program = self._target.removeprefix("//").partition(":")
        built = os.path.join(tree, "bazel-bin", package, program or os.path.basename(package))
        if not os.path.exists(built):
            raise GateError(
                f"[gate] building {self._target} of {name} left no program {built}; wanted the label of one"
            )
        return _copy(built, os.path.join(self._folder, name))

    def _bazel(self, tree, *arguments, budget=None):
        """Its output. What it writes on stderr is progress for the user. `budget`: the builder's unless given."""
        options = {**surroundings(os.environ), "cwd": tree}
        said = os.path.join(self._folder, "bazel.out")
        program = os.path.join(tree, BUILD_PROGRAM)
        try:
            with open(said, "wb") as output:
                group = ProcessGroup([program, *arguments], stdin=subprocess.DEVNULL, stdout=output, **options)
        except OSError as error:
            raise GateError(f"[gate] {program} does not start: {error.strerror}") from error
        try:
            (budget or self._budget).wait([group.ended], _LONGEST)
        finally:
            status, _ = group.end(_GRACE)
        if status:
            raise GateError(
                f"[gate] ./bazelw {' '.join(arguments)} in {tree} ended with exit status {status}; its "
                "messages are above"
            )
        with open(said, encoding="utf-8", errors="replace") as output:
            return output.read()


def _copy(program, folder):
    os.mkdir(folder)
    copied = shutil.copy(program, folder)
    if os.path.isdir(program + RUNFILES):
        # Without the manifest, which names files of the build.
        try:
            shutil.copytree(program + RUNFILES, copied + RUNFILES, ignore=shutil.ignore_patterns("MANIFEST"))
        except shutil.Error as error:
            missing, _, _ = error.args[0][0]
            raise GateError(
                f"[gate] {program} is missing {len(error.args[0])} of the files that it reads, {missing} among "
                "them; `./bazelw clean` and try again"
            ) from error
    return copied


def _forget_links(tree):
    """Removes the links of all programs in the cache whose files are in `tree`, so that the next build makes them."""
    for folder, _, files in os.walk(os.path.join(tree, "bazel-bin")):
        for manifest in [os.path.join(folder, name) for name in files if name.endswith(RUNFILES + "_manifest")]:
            with open(manifest, encoding="utf-8") as file:
                of_tree = f" {tree}/" in file.read()
            if of_tree:
                shutil.rmtree(manifest.removesuffix("_manifest"), ignore_errors=True)
                os.remove(manifest)
