"""Which programs a gate runs: commands as they are, or commits of the user's repository, which are built first."""

import dataclasses
import hashlib
import os
import shlex
import shutil

from benchmarks.gate.live import revisions
from benchmarks.gate.live.revisions import BUILD_PROGRAM, Builder
from benchmarks.gate.recording import SIDES, GateError, Side


@dataclasses.dataclass(frozen=True)
class ChosenSide:
    """`words`: what starts it. `side`: what is recorded of it; of a built program its label, to build it again."""

    words: tuple
    side: Side


def choose(options, folder, builds, budget):
    """Side name -> ChosenSide, for options.baseline, options.candidate and options.target of gate.parse.

    A text that names a commit of the repository that contains `folder` (the user's) is that commit, built in its
    own work tree; without a candidate the working tree is the candidate. Any other text is a command, which has to name
    a program or a result. `builds`: an existing folder, where programs stay. Errors: GateError, where possible before
    anything is built; those of `budget`.
    """
    checkout = revisions.enclosing(folder)
    commits = {side: _commit(checkout, getattr(options, side), folder) for side in SIDES}
    sides = {
        side: _of_command(getattr(options, side), side, folder, checkout)
        for side in SIDES
        if commits[side] is None and getattr(options, side) is not None
    }
    if options.candidate is None and commits["baseline"] is None:
        raise GateError(
            f"[gate] --baseline={options.baseline} names no commit here; wanted --candidate beside a command"
        )
    _check_can_be_built(checkout, commits)
    builder = Builder(checkout, options.target, builds, budget)
    if options.candidate is None:
        sides["candidate"] = _of_tree(builder, checkout, options.target)
    wanted = list(dict.fromkeys(commit for commit in commits.values() if commit))
    programs = dict(zip(wanted, builder.build_commits(wanted))) if wanted else {}
    for side, commit in commits.items():
        if commit:
            sides[side] = _of_build(programs[commit], options.target, commit[:12])
    return {side: sides[side] for side in SIDES}


def _commit(checkout, text, folder):
    """The hash of the commit that the text names, None for a command; a path to a program is a command."""
    if checkout is None or text is None or (os.sep in text and shutil.which(os.path.join(folder, text))):
        return None
    return revisions.commit_of(checkout, text)


def _of_command(text, side, folder, checkout):
    found = command(text, f"--{side}")
    if not is_program(found, folder) and not is_result(found, folder):
        raise GateError(
            f"[gate] --{side}={text!r} names no commit ({_where(checkout, folder)}), no program and no "
            "result; wanted one of them"
        )
    return ChosenSide(found, side_of(found, folder))


def _where(checkout, folder):
    """Where commits were looked for, and why one may not be found."""
    if checkout is None:
        return revisions.why_none(folder)
    shallow = ", a shallow clone: `git fetch --unshallow` brings the rest" if revisions.is_shallow(checkout) else ""
    return f"of {checkout}{shallow}"


def _check_can_be_built(checkout, commits):
    """Errors: GateError where the working tree, whose cache builds all, or a commit has nothing to build with."""
    wanted = {side: commit for side, commit in commits.items() if commit}
    if wanted and not os.path.exists(os.path.join(checkout, BUILD_PROGRAM)):
        raise GateError(
            f"[gate] {checkout} has no {BUILD_PROGRAM}, which builds the programs of commits; wanted the "
            "commands of two programs, or a clone of this project"
        )
    for side, commit in wanted.items():
        if not revisions.has_file(checkout, commit, BUILD_PROGRAM):
            raise GateError(
                f"[gate] --{side}: commit {commit[:12]} has no {BUILD_PROGRAM}, which builds its program; "
                "wanted a later commit"
            )


def _of_tree(builder, checkout, target):
    """Errors: GateError where another commit was checked out meanwhile: what was built may be neither."""
    before = revisions.description(checkout)
    program = builder.build_tree()
    after = revisions.description(checkout)
    if before != after:
        raise GateError(
            f"[gate] the working tree was {before}, and {after} when it was built; wanted one that stays as it is"
        )
    return _of_build(program, target, after)


def _of_build(program, target, commit):
    side = side_of((program,), os.sep, commit)
    return ChosenSide((program,), dataclasses.replace(side, command=(target,)))


def words(text, option):
    """The words of a text as a shell would split it. Errors: GateError for an open quote."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise GateError(f"[gate] {option}={text!r}: {error}; wanted words as a shell reads them") from error


def command(text, option):
    """The words of a command. Errors: GateError for none, and for an open quote."""
    found = words(text, option)
    if not found:
        raise GateError(f"[gate] {option} is empty; wanted a command")
    return found


def side_of(command_words, folder, commit=""):
    """The Side of a command that is started in `folder`; one that is not found has no digest, and does not start."""
    path = _file(command_words, folder)
    return Side(command_words, commit, hashlib.sha256(_content(path)).hexdigest() if path else "")


def is_program(command_words, folder):
    """Whether there is a program of the first word's name."""
    return _file(command_words, folder) is not None


def is_result(command_words, folder):
    """Whether the words of a side are the name of a result, a JSON file."""
    return (
        len(command_words) == 1
        and command_words[0].endswith(".json")
        and os.path.isfile(os.path.join(folder, command_words[0]))
    )


def same_program(baseline, candidate, folder):
    """Whether both commands have the same words after one program: one file, or copies of one.

    Copies of a script may differ in the files next to them.
    """
    first, second = (_file(each, folder) for each in (baseline, candidate))
    if baseline[1:] != candidate[1:] or None in (first, second):
        return False
    if os.path.samefile(first, second):
        return True
    content = _content(first)
    return content == _content(second) and not content.startswith(b"#!")


def _file(command_words, folder):
    """The file that the first word names, as execvp finds it; None where there is none."""
    name = command_words[0]
    if os.sep in name:
        name = os.path.join(folder, name)
    return shutil.which(name)


def _content(path):
    with open(path, "rb") as file:
        return file.read()
