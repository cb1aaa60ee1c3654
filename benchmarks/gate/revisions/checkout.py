"""A repository's working tree and its commits, as git tells them."""
import os
import subprocess

from benchmarks.gate.recording import GateError


def enclosing():
    """The root of the working tree that the user is in: where `bazel run` was called, else the current folder.

    Errors: GateError outside of a repository and without git.
    """
    start = os.environ.get('BUILD_WORKING_DIRECTORY', os.getcwd())
    root = _output(start, 'rev-parse', '--show-toplevel')
    if root is None:
        raise GateError(f'[gate] {start} is in no working tree of git; wanted one to build a commit of')
    return root


def commit_of(checkout, reference):
    """The full hash of the commit that `reference` (a branch, a tag, HEAD~3) names; None where it names none."""
    if reference.startswith('-'):
        return None
    return _output(checkout, 'rev-parse', '--verify', '--quiet', reference + '^{commit}')


def description(checkout):
    """The working tree's commit as a hash of twelve digits, with '+changes' where tracked files were changed."""
    commit = _run(checkout, 'rev-parse', '--short=12', 'HEAD')
    changes = _run(checkout, 'status', '--porcelain', '--untracked-files=no')
    return commit + ('+changes' if changes else '')


def add_worktree(checkout, folder, commit):
    """Puts the files of a commit into the new folder `folder`. Errors: GateError with git's words."""
    _run(checkout, 'worktree', 'add', '--quiet', '--detach', folder, commit)


def remove_worktree(checkout, folder):
    """Removes what add_worktree made, whatever was built or changed in it."""
    _run(checkout, 'worktree', 'remove', '--force', folder)


def _run(checkout, *arguments):
    done = _git(checkout, arguments)
    if done.returncode:
        raise GateError(f'[gate] git {" ".join(arguments)}: {done.stderr.strip()}')
    return done.stdout.strip()


def _output(checkout, *arguments):
    """Its output, or None where it fails."""
    done = _git(checkout, arguments)
    return None if done.returncode else done.stdout.strip()


def _git(checkout, arguments):
    try:
        return subprocess.run(['git', '-C', checkout, *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise GateError('[gate] there is no git on PATH; wanted one to find commits by') from None
