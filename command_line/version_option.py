"""The version of this checkout, from the file VERSION at its root.

parser = argparse.ArgumentParser(prog="gate")
version_option.add(parser)          # --version prints "gate 0.9.0"
"""

import pathlib

_FILE = pathlib.Path(__file__).resolve().parent.parent / "VERSION"


def read():
    """ "0.9.0". Errors: OSError."""
    return _FILE.read_text(encoding="utf-8").strip()


def add(parser):
    """Adds --version to an argparse parser."""
    parser.add_argument("--version", action="version", version=f"%(prog)s {read()}", help="print the version")
