"""Builds one program of the working tree and of other commits, and keeps copies that no later build changes.

All are built by the working tree's own Bazel cache (its output base), one after the other: of another commit only what
differs is compiled. So a commit's build costs what changing to it and back would cost, and the tree is not touched.
Bazel thinks links to a commit's sources still good when the next build finds the same files elsewhere: they are
removed before the sources are.
"""
import contextlib
import os
import shutil
import subprocess
import sys

from benchmarks.gate.live.process import side_command
from benchmarks.gate.live.process.patience import BudgetSpent, Patience
from benchmarks.gate.live.process.process_group import ProcessGroup
from benchmarks.gate.recording import GateError
from benchmarks.gate.revisions import checkout as checkouts

# Seconds that Bazel has to stop a build in order, and those that nobody waits longer than for a build.
_GRACE = 20
_LONGEST = 86400
# Those that a server has to end.
_SHUTDOWN = 60

# What builds, in each tree.
BUILD_PROGRAM = 'bazelw'

# Behind a program's name, the folder of links to the files that it reads.
RUNFILES = '.runfiles'


class Builder:
    """Builds the program `target` in and of `checkout` (the working tree's root) into the existing folder `folder`.

    `patience`: a Patience that ends a build with an error. Bazel's progress goes to stderr.
    """

    def __init__(self, checkout, target, folder, patience):
        self._checkout, self._target, self._folder, self._patience = checkout, target, folder, patience

    def build_tree(self):
        """Path of the working tree's program as it is now, changes included. Errors: GateError, as all of these."""
        return self._build(self._checkout, 'tree')

    def build_commits(self, commits):
        """[path of the program] of full hashes, in their order."""
        base = self._bazel(self._checkout, 'info', 'output_base').strip()
        with self._worktree() as tree:
            try:
                return [self._build_commit(tree, base, commit) for commit in commits]
            finally:
                self._shut_down(tree, base)

    @contextlib.contextmanager
    def _worktree(self):
        tree = os.path.join(self._folder, 'worktree')
        checkouts.add_worktree(self._checkout, tree)
        try:
            yield tree
        finally:
            _forget_links(tree)
            checkouts.remove_worktree(self._checkout, tree)

    def _build_commit(self, tree, base, commit):
        checkouts.put(tree, commit)
        own = os.path.join(self._checkout, 'user.bazelrc')
        if os.path.exists(own):
            shutil.copy(own, tree)  # built with other settings its speed would mean nothing
        return self._build(tree, commit, f'--output_base={base}')

    def _shut_down(self, tree, base):
        """Else Bazel's server goes on in a folder that is gone. Who wants the gate to stop waits for that too."""
        there = os.path.exists(os.path.join(tree, BUILD_PROGRAM))  # unless no commit could be put there
        try:
            self._bazel(tree if there else self._checkout, f'--output_base={base}', 'shutdown', patience=Patience(_SHUTDOWN))
        except (BudgetSpent, GateError) as error:
            print(f'[gate] the Bazel server of {tree} may still run, shutdown failed: '
                  f'{error or f"no end within {_SHUTDOWN} s"}', file=sys.stderr, flush=True)

    def _build(self, tree, name, *startup):
        print(f'[gate] building {self._target} of {name}', file=sys.stderr, flush=True)
        self._bazel(tree, *startup, 'build', self._target)
        package, _, program = self._target.removeprefix('//').partition(':')
        built = os.path.join(tree, 'bazel-bin', package, program or os.path.basename(package))
        if not os.path.exists(built):
            raise GateError(f'[gate] building {self._target} of {name} left no program {built}; wanted the label of one')
        return _copy(built, os.path.join(self._folder, name))

    def _bazel(self, tree, *arguments, patience=None):
        """Its output. What it says besides is the user's progress. `patience`: the builder's unless given."""
        surroundings = {**side_command.surroundings(os.environ), 'cwd': tree}
        said = os.path.join(self._folder, 'bazel.out')
        program = os.path.join(tree, BUILD_PROGRAM)
        try:
            with open(said, 'wb') as output:
                group = ProcessGroup([program, *arguments], stdin=subprocess.DEVNULL, stdout=output, **surroundings)
        except OSError as error:
            raise GateError(f'[gate] {program} does not start: {error.strerror}') from error
        try:
            (patience or self._patience).wait([group.ended], _LONGEST)
        finally:
            status, _ = group.end(_GRACE)
        if status:
            raise GateError(f'[gate] ./bazelw {" ".join(arguments)} in {tree} ended with exit status {status}; its '
                            'messages are above')
        with open(said, encoding='utf-8', errors='replace') as output:
            return output.read()


def _copy(program, folder):
    os.mkdir(folder)
    copied = shutil.copy(program, folder)
    if os.path.isdir(program + RUNFILES):
        # Without the manifest, which names files of the build.
        try:
            shutil.copytree(program + RUNFILES, copied + RUNFILES, ignore=shutil.ignore_patterns('MANIFEST'))
        except shutil.Error as error:
            missing, _, _ = error.args[0][0]
            raise GateError(f'[gate] {program} lacks {len(error.args[0])} of the files that it reads, {missing} among '
                            'them; `./bazelw clean` and try again') from error
    return copied


def _forget_links(tree):
    """Removes the links of all programs in the cache whose files lie in `tree`, so that the next build makes them."""
    for folder, _, files in os.walk(os.path.join(tree, 'bazel-bin')):
        for manifest in [os.path.join(folder, name) for name in files if name.endswith(RUNFILES + '_manifest')]:
            with open(manifest, encoding='utf-8') as file:
                of_tree = f' {tree}/' in file.read()
            if of_tree:
                shutil.rmtree(manifest.removesuffix('_manifest'), ignore_errors=True)
                os.remove(manifest)
