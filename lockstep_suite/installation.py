"""Starts the programs of an installed wheel.

They are in `files/lockstep` beside this module, laid out as in the source tree, and read their data from there: they
start in that folder, and BUILD_WORKING_DIRECTORY names the folder that the user's relative paths mean.
"""

import os
import sys

FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "files", "lockstep")


class CannotRun(Exception):
    """A program could not run, or not to the end; the text says why, and what to do."""


def environment(name="run"):
    """The variables of the program of `lockstep NAME`."""
    inherited = dict(os.environ)
    paths = [FILES, *filter(None, [inherited.get("PYTHONPATH")])]
    return inherited | {
        "BUILD_WORKING_DIRECTORY": inherited.get("BUILD_WORKING_DIRECTORY") or os.getcwd(),
        "LOCKSTEP_COMMAND": f"lockstep {name}",
        "LOCKSTEP_EXPLAIN_COMMAND": "lockstep explain",
        "LOCKSTEP_PYTHON": inherited.get("LOCKSTEP_PYTHON") or sys.executable,
        "PYTHONPATH": os.pathsep.join(paths),
        "RUNFILES_DIR": os.path.dirname(FILES),
    }


def command(program, arguments=()):
    """The words that start `program`: "conformance/run", or a module as "reports.coverage"."""
    if "/" in program:
        return [os.path.join(FILES, program), *arguments]
    return [sys.executable, "-m", program, *arguments]
