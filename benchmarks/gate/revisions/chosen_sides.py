"""Which programs a gate runs: commands as they are, or commits of the user's repository, which are built first."""
import dataclasses
import os
import shutil

from benchmarks.gate.live.process import side_command
from benchmarks.gate.recording import SIDES, GateError, Side
from benchmarks.gate.revisions import checkout as checkouts
from benchmarks.gate.revisions.built_program import Builder


@dataclasses.dataclass(frozen=True)
class ChosenSide:
    """`words`: what starts it. `side`: what is told of it; of a built program the label, which can be built again."""
    words: tuple
    side: Side


def choose(options, folder, builds, patience):
    """Side name -> ChosenSide, for options.baseline, options.candidate and options.target of gate_options.

    A text that names a commit of the repository that `folder` (the user's) lies in is that commit, built in a work tree
    of its own; without a candidate beside it the working tree is the candidate. Any other text is a command. `builds`:
    an existing folder, which programs stay in. Errors: GateError, those of `patience`.
    """
    checkout = checkouts.enclosing(folder)
    commits = {side: _commit(checkout, getattr(options, side), folder) for side in SIDES}
    if options.candidate is None and commits['baseline'] is None:
        raise GateError(f'[gate] --baseline={options.baseline} names no commit here; wanted --candidate beside a command')
    sides = {side: _of_command(getattr(options, side), side, folder) for side in SIDES
             if commits[side] is None and getattr(options, side) is not None}
    builder = Builder(checkout, options.target, builds, patience)
    if options.candidate is None:
        sides['candidate'] = _of_build(builder.build_tree(), options.target, checkouts.description(checkout))
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


def _of_command(text, side, folder):
    words = side_command.command(text, f'--{side}')
    return ChosenSide(words, side_command.side(words, folder))


def _of_build(program, target, commit):
    side = side_command.side((program,), os.sep, commit)
    return ChosenSide((program,), dataclasses.replace(side, command=(target,)))
