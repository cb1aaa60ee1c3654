"""Which programs a gate runs: commands as they are, or commits of the user's repository, which are built first."""
import dataclasses
import os
import shutil

from benchmarks.gate.live.process import side_command
from benchmarks.gate.recording import SIDES, GateError, Side
from benchmarks.gate.revisions import checkout as checkouts
from benchmarks.gate.revisions.built_program import BUILD_PROGRAM, Builder


@dataclasses.dataclass(frozen=True)
class ChosenSide:
    """`words`: what starts it. `side`: what is told of it; of a built program the label, which can be built again."""
    words: tuple
    side: Side


def choose(options, folder, builds, patience):
    """Side name -> ChosenSide, for options.baseline, options.candidate and options.target of gate_options.

    A text that names a commit of the repository that `folder` (the user's) lies in is that commit, built in a work tree
    of its own; without a candidate beside it the working tree is the candidate. Any other text is a command, and has to
    name a program or a result. `builds`: an existing folder, which programs stay in. Errors: GateError, before anything
    is built where it can be seen then; those of `patience`.
    """
    checkout = checkouts.enclosing(folder)
    commits = {side: _commit(checkout, getattr(options, side), folder) for side in SIDES}
    sides = {side: _of_command(getattr(options, side), side, folder, checkout) for side in SIDES
             if commits[side] is None and getattr(options, side) is not None}
    if options.candidate is None and commits['baseline'] is None:
        raise GateError(f'[gate] --baseline={options.baseline} names no commit here; wanted --candidate beside a command')
    _check_can_be_built(checkout, commits)
    builder = Builder(checkout, options.target, builds, patience)
    if options.candidate is None:
        sides['candidate'] = _of_tree(builder, checkout, options.target)
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
    return checkouts.commit_of(checkout, text)


def _of_command(text, side, folder, checkout):
    words = side_command.command(text, f'--{side}')
    if not side_command.is_program(words, folder) and not side_command.is_result(words, folder):
        raise GateError(f'[gate] --{side}={text!r} names no commit ({_where(checkout, folder)}), no program and no '
                        'result; wanted one of them')
    return ChosenSide(words, side_command.side(words, folder))


def _where(checkout, folder):
    """Where commits were looked for, and why one may not be found."""
    if checkout is None:
        return checkouts.why_none(folder)
    shallow = ', a shallow clone: `git fetch --unshallow` brings the rest' if checkouts.is_shallow(checkout) else ''
    return f'of {checkout}{shallow}'


def _check_can_be_built(checkout, commits):
    """Errors: GateError where the working tree, whose cache builds all, or a commit has nothing to build with."""
    wanted = {side: commit for side, commit in commits.items() if commit}
    if wanted and not os.path.exists(os.path.join(checkout, BUILD_PROGRAM)):
        raise GateError(f'[gate] {checkout} has no {BUILD_PROGRAM}, which builds the programs of commits; wanted the '
                        'commands of two programs, or a clone of this project')
    for side, commit in wanted.items():
        if not checkouts.has_file(checkout, commit, BUILD_PROGRAM):
            raise GateError(f'[gate] --{side}: commit {commit[:12]} has no {BUILD_PROGRAM}, which builds its program; '
                            'wanted a later commit')


def _of_tree(builder, checkout, target):
    """Errors: GateError where somebody changed to another commit meanwhile: what was built is none of both."""
    before = checkouts.description(checkout)
    program = builder.build_tree()
    after = checkouts.description(checkout)
    if before != after:
        raise GateError(f'[gate] the working tree was {before}, and {after} when it was built; wanted one that stays '
                        'as it is')
    return _of_build(program, target, after)


def _of_build(program, target, commit):
    side = side_command.side((program,), os.sep, commit)
    return ChosenSide((program,), dataclasses.replace(side, command=(target,)))
