"""A repository's working tree and its commits, as git tells them."""
import os
import re
import shutil
import subprocess

from benchmarks.gate.recording import CHANGED, GateError

# Kinds of names that git would take one of, and say nothing.
_KINDS = ('refs/tags/', 'refs/heads/', 'refs/remotes/')
_HASH = re.compile(r'[0-9a-f]{40,64}')
# Variables by which git tells its hooks of a repository.
_HOOKS_OWN = ('GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR', 'GIT_OBJECT_DIRECTORY', 'GIT_PREFIX')
# Of the user's settings, those by which git would start programs or leave one running.
_SETTINGS = ('core.hooksPath=/dev/null', 'core.fsmonitor=false', 'submodule.recurse=false')


def enclosing(folder):
    """The root of the working tree that a folder lies in; None outside of one, and where there is no git."""
    return _output(folder, 'rev-parse', '--show-toplevel') if shutil.which('git') else None


def why_none(folder):
    """Git's own message where a folder is in no working tree, or in one that belongs to another user."""
    if not shutil.which('git'):
        return 'there is no git'
    return (_git(folder, ('rev-parse', '--show-toplevel')).stderr.strip().splitlines() or ['no work tree'])[0]


def commit_of(checkout, reference):
    """The full hash of the commit that `reference` (a branch, a tag, HEAD~3) names; None where it names none.

    Errors: GateError for a name of several, of a tag and of a branch.
    """
    if reference.startswith('-'):
        return None
    found = {kind: _commit(checkout, kind + reference) for kind in _KINDS}
    named = {kind: commit for kind, commit in found.items() if commit}
    if len(set(named.values())) > 1:
        listed = ', '.join(f'{kind}{reference} ({commit[:12]})' for kind, commit in named.items())
        raise GateError(f'[gate] {reference!r} names several commits: {listed}; wanted one of these names')
    return _commit(checkout, reference)


def is_shallow(checkout):
    """Whether the repository lacks the beginning of its history."""
    return _output(checkout, 'rev-parse', '--is-shallow-repository') == 'true'


def has_file(checkout, commit, path):
    """Whether there is such a file in a commit."""
    return _output(checkout, 'cat-file', '-e', f'{commit}:{path}') is not None


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


def _commit(checkout, reference):
    found = _output(checkout, 'rev-parse', '--verify', '--quiet', reference + '^{commit}')
    return found if found and _HASH.fullmatch(found) else None  # of ^HEAD it is another text


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
    """The repository is that of the folder, also in a hook, where variables name another one."""
    settings = [word for setting in _SETTINGS for word in ('-c', setting)]
    kept = {name: value for name, value in os.environ.items() if name not in _HOOKS_OWN}
    return subprocess.run(['git', *settings, '-C', checkout, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors='surrogateescape', check=False,
                          env={**kept, 'LC_ALL': 'C', 'GIT_TERMINAL_PROMPT': '0'})
