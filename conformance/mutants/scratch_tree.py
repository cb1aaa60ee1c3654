"""A copy of the workspace in which mutants are planted and built, never the user's own tree.

The copy, and Bazel's outputs for it, are kept: the next mutant compiles the files that it changes and
links again. The judge is built once, without a bug.
"""
import json
import os
import shutil
import subprocess

from tools import source_tree

JUDGE = '//conformance:run'
# In a process of its own the mutant may hang or die without taking the run along.
TESTEE = '//conformance/testees/reference:pipe'


class BuildFailed(Exception):
    """The workspace does not build; the text is the end of what the build said."""


class RunFailed(Exception):
    """The cases could not be run."""


class ScratchTree:
    """`root` is the user's workspace, `folder` where the copy is made and kept."""

    def __init__(self, root, folder, deadline=20):
        self.folder = folder
        self._root = root
        self._tree = os.path.join(folder, 'tree')
        self._output_base = os.path.join(folder, 'output_base')
        self._judge = os.path.join(folder, 'run')
        self._results = os.path.join(folder, 'results.json')
        self._deadline = deadline

    def prepare(self):
        """Makes the copy and builds it as it is. Errors: BuildFailed."""
        self.copy()
        self._build(JUDGE, TESTEE)
        if os.path.exists(self._judge):
            os.remove(self._judge)
        shutil.copy(self._output(JUDGE), self._judge)

    def copy(self):
        """Makes the copy, or brings an older one up to date. What did not change keeps its time."""
        wanted = source_tree.list_files(self._root, untracked=True)
        own_options = 'user.bazelrc'
        if os.path.exists(os.path.join(self._root, own_options)):
            wanted.append(own_options)
        for path in source_tree.list_files(self._tree) if os.path.isdir(self._tree) else []:
            if path not in wanted:
                os.remove(os.path.join(self._tree, path))
        for path in wanted:
            self._copy_file(path)

    def _copy_file(self, path):
        source, target = os.path.join(self._root, path), os.path.join(self._tree, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.exists(target) or _read(source) != _read(target):
            shutil.copy(source, target)

    def plant(self, mutant):
        """Puts the mutant's bug into the copy. Errors: MutantError."""
        text = mutant.apply(_read(os.path.join(self._root, mutant.file)).decode('utf-8'))
        with open(os.path.join(self._tree, mutant.file), 'w', encoding='utf-8') as stream:
            stream.write(text)

    def restore(self, mutant):
        """Takes the bug out again."""
        self._copy_file(mutant.file)

    def build(self):
        """Builds the reference with the bug in it. Errors: BuildFailed."""
        self._build(TESTEE)

    def _build(self, *targets):
        command = ['./bazelw', '--output_base=' + self._output_base, 'build', *targets]
        result = subprocess.run(command, cwd=self._tree, env=_environment(), stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0:
            raise BuildFailed(result.stdout[-4000:])

    def _output(self, target):
        path = target[len('//'):].replace(':', '/')
        return os.path.realpath(os.path.join(self._tree, 'bazel-bin', path))

    def run(self):
        """Runs every case. Returns case id -> what is known of it, as result_of gives it.

        Errors: RunFailed.
        """
        command = [self._judge, '--testee=' + self._output(TESTEE), '--deadline=%d' % self._deadline,
                   '--json=' + self._results]
        if os.path.exists(self._results):
            os.remove(self._results)
        result = subprocess.run(command, cwd=self._tree, env=_environment(), stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)
        if not os.path.exists(self._results):
            raise RunFailed(result.stdout[-4000:])
        with open(self._results, encoding='utf-8') as stream:
            return {case['id']: result_of(case) for case in json.load(stream)['cases']}


def result_of(case):
    """The verdict, and whether everything is as stated: cases of level observed notice too."""
    return case['verdict'], case['as_stated']


def _environment():
    """Without the variables by which `bazel run` names the user's folders."""
    return {name: value for name, value in os.environ.items() if not name.startswith('BUILD_W')}


def _read(path):
    with open(path, 'rb') as stream:
        return stream.read()
