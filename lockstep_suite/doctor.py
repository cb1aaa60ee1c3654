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
    for name, packages in sorted(frameworks.needed().items()):
        if absent := frameworks.missing(packages):
            yield f"testee {name}", f"needs {', '.join(absent)}", f"pip install {' '.join(absent)}"
        else:
            installed = ", ".join(f"{package} {frameworks.version(package)}" for package in packages)
            yield f"testee {name}", f"ready: {installed}", ""


def main(arguments):
    parser = argparse.ArgumentParser(prog="lockstep doctor", description=__doc__)
    parser.parse_args(arguments)
    for what, state, advice in rows():
        print(f"{what:<36}{state}")
        if advice:
            print(f"{'':<36}  {advice}")
    return 0
