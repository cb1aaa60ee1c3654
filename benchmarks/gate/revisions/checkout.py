"""A repository's working tree and its commits, as git tells them."""
import shutil
import subprocess

from benchmarks.gate.recording import CHANGED, GateError


def enclosing(folder):
    """The root of the working tree that a folder lies in; None outside of one, and where there is no git."""
    return _output(folder, 'rev-parse', '--show-toplevel') if shutil.which('git') else None


def commit_of(checkout, reference):
    """The full hash of the commit that `reference` (a branch, a tag, HEAD~3) names; None where it names none."""
    if reference.startswith('-'):
        return None
    return _output(checkout, 'rev-parse', '--verify', '--quiet', reference + '^{commit}')


def description(checkout):
    """The working tree's commit as a hash of twelve digits, with CHANGED where tracked files were changed."""
    commit = _run(checkout, 'rev-parse', '--short=12', 'HEAD')
    changes = _run(checkout, 'status', '--porcelain', '--untracked-files=no')
    return commit + (CHANGED if changes else '')


def add_worktree(checkout, folder):
    """Makes a further working tree in the new folder `folder`, empty yet. Errors: GateError with git's words."""
    _run(checkout, 'worktree', 'add', '--quiet', '--detach', '--no-checkout', folder)


def put(worktree, commit):
    """Puts the files of a commit into a further working tree."""
    _run(worktree, 'checkout', '--quiet', '--force', '--detach', commit)


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
    return subprocess.run(['git', '-C', checkout, *arguments], capture_output=True, text=True, check=False)
