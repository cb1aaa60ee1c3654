"""Writes a program to start from.

    lockstep new my_testee.py
        a testee: it answers the cases for a framework of 40 lines, its part 1, for you to replace by yours
    lockstep new --gate train.py
        a training for `lockstep gate`, which compares its speed with another version of it
    ./bazelw run //lockstep_suite:new -- my_testee.py       in the source tree

It never overwrites a file.
Exit status: 0 written; 2 not written, for the reason on stderr.
"""

import argparse
import os
import re
import shlex
import sys

from lockstep_suite import commands

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(HERE, "example_testee.py")
TRAINING = os.path.join(HERE, "example_training.py")
FILE_NAME = re.compile(r"[a-z][a-z0-9_]*\.py")


class Refused(Exception):
    """Nothing was written."""


def testee_text(name):
    """The program of a testee of this name."""
    with open(EXAMPLE, encoding="utf-8") as stream:
        text = stream.read()
    # Of the class, too: my_testee is MyTestee.
    for old, replacement in (
        ("example_testee.py", name + ".py"),
        ('name = "example"', f'name = "{name}"'),
        ("Example(", "".join(map(str.capitalize, name.split("_"))) + "("),
    ):
        text = text.replace(old, replacement)
    return text


def training_text():
    """The program of docs/ci.md, A speed gate of your own."""
    with open(TRAINING, encoding="utf-8") as stream:
        return stream.read()


def write(path, gate=False):
    """Errors: Refused for a name that is no module, or that is taken; OSError."""
    file = os.path.basename(path)
    if not FILE_NAME.fullmatch(file):
        raise Refused(f"wanted a name of lower-case letters, digits and _ with .py, as my_testee.py, got '{file}'")
    try:
        with open(path, "x", encoding="utf-8") as stream:
            stream.write(training_text() if gate else testee_text(file.removesuffix(".py")))
    except FileExistsError as error:
        raise Refused(f"{path} exists and is not overwritten; choose another name, or move it away") from error


def start(name, environment):
    """What users type to start a command of the wheel, or its program in the source tree."""
    if environment.get("BUILD_WORKSPACE_DIRECTORY"):
        return f"./bazelw run {commands.COMMANDS[name].target} --"
    return f"lockstep {name}"


def next_command(path, environment):
    """What runs the cases on the testee at `path`, where the user is."""
    testee = shlex.quote(path)
    root = environment.get("BUILD_WORKSPACE_DIRECTORY")
    path = f"PYTHONPATH={shlex.quote(root)} " if root else ""
    return f'{path}{start("run", environment)} --testee="python3 {testee}" --area=equivalence'


def gate_command(path, environment):
    """What compares the program with itself."""
    command = shlex.quote(f"python3 {shlex.quote(path)}")
    return f"{start('gate', environment)} --baseline={command} --candidate={command} --arguments="


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="lockstep new", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", metavar="NAME.py", help="file to write")
    parser.add_argument("--gate", action="store_true", help="a training for `lockstep gate`, not a testee")
    options = parser.parse_args(arguments)
    try:
        write(os.path.join(os.environ.get("BUILD_WORKING_DIRECTORY", ""), options.path), options.gate)
    except (Refused, OSError) as error:
        print(f"[New] {error}", file=sys.stderr)
        return 2
    if options.gate:
        print(
            f"Wrote {options.path}. Put a step of your training into train_step. The gate finds it as fast as itself:\n"
        )
        print(f"    {gate_command(options.path, os.environ)}")
        return 0
    print(f"Wrote {options.path}. It passes some cases as it is. Run it, then replace its part 1 by your framework:\n")
    print(f"    {next_command(options.path, os.environ)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
