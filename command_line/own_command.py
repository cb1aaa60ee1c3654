"""What users type to start a program: in the source tree `./bazelw run //conformance:compare --`, from the wheel
`lockstep compare`.

own_command("//conformance:compare")     # the words before this program's arguments
run_command()                            # the same of the runner
argparse.ArgumentParser(prog=program_name())
"""

import os

# The program that starts this one may set it, as the wheel's does: "lockstep compare".
VARIABLE = "LOCKSTEP_COMMAND"


def own_command(target):
    """`target`: the label of this program."""
    return os.environ.get(VARIABLE) or f"./bazelw run {target} --"


def program_name():
    """None in the source tree, where argparse takes the file's name."""
    return os.environ.get(VARIABLE)


def run_command():
    """What users type to start the runner, before its arguments."""
    return "lockstep run" if os.environ.get(VARIABLE) else "./bazelw run //conformance:run --"
