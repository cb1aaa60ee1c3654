"""lockstep doctor: says what is installed, what is missing, and how to get it."""

import argparse
import os
import platform
import sys

from lockstep_suite import frameworks, installation


def version():
    with open(os.path.join(installation.FILES, "VERSION"), encoding="utf-8") as stream:
        return stream.read().strip()


def rows():
    """(what, state, advice) of all that matters here; advice is empty where there is nothing to do."""
    yield "lockstep-suite", version(), ""
    yield "Python", f"{platform.python_version()} ({sys.executable})", ""
    yield "system", f"{platform.platform()}, {' '.join(platform.libc_ver())}, {os.cpu_count()} CPUs", ""
    installed = frameworks.versions()
    for name in sorted(frameworks.NEEDED):
        absent = frameworks.missing(name)
        needed = frameworks.NEEDED[name]
        state = (
            f"needs {', '.join(absent)}"
            if absent
            else "ready: " + ", ".join(f"{package} {installed.get(package, '?')}" for package in needed)
        )
        yield f"testee {name}", state, f"pip install {' '.join(absent)}" if absent else ""


def main(arguments):
    parser = argparse.ArgumentParser(prog="lockstep doctor", description=__doc__)
    parser.parse_args(arguments)
    for what, state, advice in rows():
        print(f"{what:<36}{state}")
        if advice:
            print(f"{'':<36}  {advice}")
    return 0
