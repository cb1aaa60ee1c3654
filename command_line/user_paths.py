"""Paths relative to the user's folder, which `bazel run` passes to a program that it starts in another folder."""

import os

FOLDER = "BUILD_WORKING_DIRECTORY"
# Bazel sets these for a program that it runs; they refer to that program's
# files.
BAZELS_OWN = (
    FOLDER,
    "BUILD_WORKSPACE_DIRECTORY",
    "JAVA_RUNFILES",
    "PYTHON_RUNFILES",
    "RUNFILES_DIR",
    "RUNFILES_MANIFEST_FILE",
    "RUNFILES_MANIFEST_ONLY",
    "TEST_SRCDIR",
)


def users_folder(environment):
    return environment.get(FOLDER) or os.getcwd()


def user_path(path):
    """Resolves a relative path in the user's folder."""
    return os.path.join(os.environ.get(FOLDER, ""), path)


def write_reports(*reports):
    """Writes the text of each (path, make_text) whose path the user gave."""
    for path, make_text in reports:
        if path:
            with open(user_path(path), "w", encoding="utf-8") as stream:
                stream.write(make_text())


def without_folder(environment):
    """The environment for a program whose relative paths refer to its current folder."""
    return {name: value for name, value in environment.items() if name != FOLDER}


def surroundings(environment):
    """Options of subprocess.Popen for a program of the user: the user's folder, and the environment without the
    variables of this program."""
    kept = {name: value for name, value in environment.items() if name not in BAZELS_OWN}
    own = environment.get("RUNFILES_DIR")
    paths = environment.get("PYTHONPATH", "").split(os.pathsep)
    users = [path for path in paths if path and not (own and os.path.realpath(path).startswith(os.path.realpath(own)))]
    kept.pop("PYTHONPATH", None)
    if users:
        kept["PYTHONPATH"] = os.pathsep.join(users)
    return {"cwd": users_folder(environment), "env": kept}
