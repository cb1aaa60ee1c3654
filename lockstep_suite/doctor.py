"""lockstep doctor: says what is installed, what is missing, and how to get it."""

import argparse
import os
import platform
import sys

from lockstep_suite import commands, frameworks, installation


def version():
    with open(os.path.join(installation.FILES, "VERSION"), encoding="utf-8") as stream:
        return stream.read().strip()


def state_of(packages):
    """Whether what needs these can run, in words."""
    if absent := frameworks.missing(packages):
        return f"needs {', '.join(absent)}"
    installed = ", ".join(f"{package} {frameworks.version(package)}" for package in packages)
    return f"ready: {installed}" if installed else "ready"


def rows():
    """(what, state, advice) of all that matters here; advice is empty where there is nothing to do."""
    yield "lockstep-suite", version(), ""
    yield "Python", f"{platform.python_version()} ({sys.executable})", ""
    yield "system", f"{platform.platform()}, {' '.join(platform.libc_ver())}, {os.cpu_count()} CPUs", ""
    for name, command in commands.COMMANDS.items():
        absent = frameworks.missing(command.needs)
        yield f"lockstep {name}", state_of(command.needs), commands.advice(command) if absent else ""
    for name, packages in sorted(frameworks.needed().items()):
        absent = frameworks.missing(packages)
        yield f"testee {name}", state_of(packages), f"pip install {' '.join(absent)}" if absent else ""


def main(arguments):
    parser = argparse.ArgumentParser(prog="lockstep doctor", description=__doc__)
    parser.parse_args(arguments)
    for what, state, advice in rows():
        print(f"{what:<36}{state}")
        if advice:
            print(f"{'':<36}  {advice}")
    return 0
