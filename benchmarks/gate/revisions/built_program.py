"""Builds a program of the working tree and of another commit, and keeps a copy of each that no later build changes.

Both are built by the working tree's own Bazel cache (its output base), one after the other: of the other commit only
what differs is compiled. So a commit's build costs what changing to it and back would cost, and the tree is not touched.
"""
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile

from benchmarks.gate.recording import GateError, Side
from benchmarks.gate.revisions import checkout as checkouts

PROGRAM = '//benchmarks:scaling'


@contextlib.contextmanager
def built(checkout, commit, target=PROGRAM):
    """(Side of `commit`, Side of the working tree) with the programs' copies as commands, for as long as the block lasts.

    `checkout`: the working tree's root. `commit`: a full hash. The build's progress goes to stderr. Errors: GateError
    where git or Bazel fail, with what they said.
    """
    with tempfile.TemporaryDirectory(prefix='lockstep-gate-') as folder:
        tree = os.path.join(folder, 'tree')
        candidate = _build(checkout, target, os.path.join(folder, 'candidate'))
        base = _output_base(checkout)
        checkouts.add_worktree(checkout, tree, commit)
        try:
            _take_own_settings(checkout, tree)
            baseline = _build(tree, target, os.path.join(folder, 'baseline'), f'--output_base={base}')
        finally:
            # Else Bazel's server goes on in a folder that is gone.
            _bazel(tree, [f'--output_base={base}', 'shutdown'])
            checkouts.remove_worktree(checkout, tree)
        yield Side((baseline,), commit[:12]), Side((candidate,), checkouts.description(checkout))


def _take_own_settings(checkout, tree):
    """Settings that git does not know: a commit is built with the same ones, or its speed means nothing."""
    own = os.path.join(checkout, 'user.bazelrc')
    if os.path.exists(own):
        shutil.copy(own, tree)


def _output_base(checkout):
    return _bazel(checkout, ['info', 'output_base'], stdout=subprocess.PIPE).strip()


def _build(tree, target, copy, *startup):
    print(f'gate: building {target} in {tree}', file=sys.stderr, flush=True)
    _bazel(tree, [*startup, 'build', target])
    package, _, name = target.removeprefix('//').partition(':')
    program = os.path.join(tree, 'bazel-bin', package, name or os.path.basename(package))
    if not os.path.exists(program):
        raise GateError(f'[gate] building {target} in {tree} left no program {program}; wanted the label of one')
    os.mkdir(copy)
    copied = shutil.copy(program, copy)
    if os.path.isdir(program + '.runfiles'):
        # Without the manifest, which names files of the build.
        shutil.copytree(program + '.runfiles', copied + '.runfiles', ignore=shutil.ignore_patterns('MANIFEST'))
    return copied


def _bazel(tree, arguments, stdout=None):
    """Its output where `stdout` is a pipe. What it says otherwise is the user's progress, on stderr."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(('BUILD_', 'RUNFILES'))}
    done = subprocess.run(
        [os.path.join(tree, 'bazelw'), *arguments], cwd=tree, env=environment, stdin=subprocess.DEVNULL,
        stdout=stdout or sys.stderr, text=True, check=False)
    if done.returncode:
        raise GateError(f'[gate] ./bazelw {" ".join(arguments)} in {tree} ended with exit status {done.returncode}; '
                        'its messages are above')
    return done.stdout
