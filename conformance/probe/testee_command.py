"""What stands behind --testee: a name of testees.json, or a command."""
import json
import os
import pathlib
import shlex
import subprocess
import sys


class Unknown(Exception):
    """There is no such testee; the text names those there are."""


def resolve(testee, names_file, environment):
    """The command as a list.

    It starts in an empty folder. So a word that has a dot or a slash in it and names a file is
    replaced by the file's full path: a file of the user's folder where the user typed the command,
    one beside the probe where testees.json has it.
    """
    if " " in testee or "/" in testee:
        return _with_full_paths(shlex.split(testee), environment.get("BUILD_WORKING_DIRECTORY", "."))
    named = {entry["name"]: entry["command"] for entry in _entries(names_file)}
    if testee not in named:
        raise Unknown(
            f"there is no testee '{testee}', only {', '.join(sorted(named))}; a command is "
            "something with a space or a slash in it")
    python = _frameworks_python() if "{python}" in named[testee] else None
    return _with_full_paths([python if word == "{python}" else word for word in named[testee]], ".")


def _with_full_paths(words, folder):
    paths = [os.path.abspath(os.path.join(folder, word)) for word in words]
    return [path if ("." in word or "/" in word) and os.path.exists(path) else word
            for word, path in zip(words, paths)]


def _entries(names_file):
    return json.loads(pathlib.Path(names_file).read_text(encoding="utf-8"))["testees"]


def _frameworks_python():
    make_venv = "third_party/frameworks/make_venv.py"
    made = subprocess.run([sys.executable, make_venv], stdout=subprocess.PIPE, check=False)
    if made.returncode != 0:
        raise Unknown(f"{make_venv} ended with status {made.returncode}, wanted 0")
    return made.stdout.decode().strip()
