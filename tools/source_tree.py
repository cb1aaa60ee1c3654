"""The source tree as the checks see it: real files of the workspace, also those not yet committed.

The checks run as tests tagged `local` and `external`: Bazel does not know their inputs (the whole
tree), so it must run them every time, outside the sandbox. The tree is found through the WORKSPACE
file among a test's runfiles, which is a link into it. `bazel run` names it in an environment variable.
"""
import os
import unittest

GENERATED_PREFIX = 'bazel-'
OWN_FILES_OF_USERS = {'user.bazelrc'}
HIDDEN_BUT_OURS = {'.ci', '.bazelrc', '.clang-format', '.gitignore', '.github'}


def find_root():
    """Absolute path of the workspace."""
    if 'BUILD_WORKSPACE_DIRECTORY' in os.environ:
        return os.environ['BUILD_WORKSPACE_DIRECTORY']
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return os.path.dirname(os.path.realpath(os.path.join(here, 'WORKSPACE')))


def _ours(name):
    if name.startswith('.'):
        return name in HIDDEN_BUT_OURS
    return not name.startswith(GENERATED_PREFIX) and name not in OWN_FILES_OF_USERS | {'__pycache__'}


def list_files(root, suffixes=('',)):
    """Paths of regular files below root, relative to it and sorted, that end in one of `suffixes`."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if _ours(name))
        for name in names:
            path = os.path.join(folder, name)
            if _ours(name) and name.endswith(tuple(suffixes)) and not os.path.islink(path):
                found.append(os.path.relpath(path, root))
    return sorted(found)


def read_lines(root, path):
    """The lines of a text file, without their ends."""
    with open(os.path.join(root, path), encoding='utf-8') as stream:
        return stream.read().split('\n')


def run(check, root=None):
    """For a check's main(): prints each problem; 1 when there is one, else 0."""
    problems = check(root or find_root())
    for problem in problems:
        print(problem)
    return 1 if problems else 0


class PlantedTree(unittest.TestCase):
    """Base of the checks' own tests: self.root is a tree that `plant` fills."""

    def setUp(self):
        self.root = os.path.join(os.environ['TEST_TMPDIR'], self.id())
        os.makedirs(self.root)

    def plant(self, path, text=''):
        """Writes a file below self.root."""
        target = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, 'w', encoding='utf-8') as stream:
            stream.write(text)
