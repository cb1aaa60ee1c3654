"""The source tree as the checks see it: the files that git tracks, with the workspace's content.

Other files, such as results of a run, are the user's and not checked; a new file counts
from `git add` on. In an unpacked archive, without git, every file counts that none of our commands
makes.

The checks run as tests tagged `local` and `external`: Bazel does not know their inputs (the whole
tree), so it must run them every time, outside the sandbox. The tree is found through the WORKSPACE
file among a test's runfiles, which is a link into it. `bazel run` names it in an environment variable.
"""

import os
import shutil
import subprocess
import unittest

GENERATED_PREFIX = "bazel-"
OWN_FILES_OF_USERS = {"user.bazelrc"}
# Folder of the root that programs write to by default; .gitignore names it too.
RESULTS = "results"
HIDDEN_BUT_OURS = {".ci", ".bazelrc", ".clang-format", ".gitignore", ".github"}


def find_root():
    """Absolute path of the workspace."""
    if "BUILD_WORKSPACE_DIRECTORY" in os.environ:
        return os.environ["BUILD_WORKSPACE_DIRECTORY"]
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return os.path.dirname(os.path.realpath(os.path.join(here, "WORKSPACE")))


def _ours(name):
    if name.startswith("."):
        return name in HIDDEN_BUT_OURS
    return not name.startswith(GENERATED_PREFIX) and name not in OWN_FILES_OF_USERS | {"__pycache__"}


def _is_repository(place):
    """A repository, or the file that replaces it in a linked work tree."""
    return os.path.isfile(place) or os.path.exists(os.path.join(place, "HEAD"))


def _git_files(root, untracked):
    """The files that git tracks; None where the tree is not a checkout or there is no git."""
    repository = os.path.join(root, ".git")
    if not _is_repository(repository) or not shutil.which("git"):
        return None
    # A hook's variables name another repository; the owner of a mounted tree is often another user.
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = [
        "git",
        "-c",
        "safe.directory=*",
        "--git-dir",
        repository,
        "--work-tree",
        root,
        "ls-files",
        "-z",
        "--cached",
    ]
    command += ["--others", "--exclude-standard"] * untracked
    done = subprocess.run(command, cwd=root, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError("[SourceTree] git cannot list the files of %s: %s" % (root, done.stderr.strip()))
    return {path for path in done.stdout.split("\0") if path}


def _walked_files(root):
    for folder, folders, names in os.walk(root):
        at_root = folder == root
        folders[:] = [name for name in folders if _ours(name) and not (at_root and name == RESULTS)]
        for name in names:
            if _ours(name):
                yield os.path.relpath(os.path.join(folder, name), root)


def list_files(root, suffixes=("",), untracked=False):
    """Paths of the tree's regular files, relative to root and sorted, that end in one of `suffixes`.

    `untracked` adds those that git does not track and does not ignore.
    """
    found = _git_files(root, untracked)
    paths = _walked_files(root) if found is None else found
    places = ((path, os.path.join(root, path)) for path in paths if path.endswith(tuple(suffixes)))
    return sorted(path for path, place in places if os.path.isfile(place) and not os.path.islink(place))


def read_lines(root, path):
    """The lines of a text file, without their ends."""
    with open(os.path.join(root, path), encoding="utf-8") as stream:
        return stream.read().split("\n")


def run(check, root=None):
    """For a check's main(): prints each problem; 1 when there is one, else 0."""
    problems = check(root or find_root())
    for problem in problems:
        print(problem)
    return 1 if problems else 0


class PlantedTree(unittest.TestCase):
    """Base of the checks' own tests: self.root is a tree that `plant` fills."""

    def setUp(self):
        self.root = os.path.join(os.environ["TEST_TMPDIR"], self.id())
        os.makedirs(self.root)

    def plant(self, path, text=""):
        """Writes a file below self.root."""
        target = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as stream:
            stream.write(text)
