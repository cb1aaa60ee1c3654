"""Where the user is, who may have come by `bazel run`: that starts a program elsewhere, and names the user's folder."""

import os

FOLDER = "BUILD_WORKING_DIRECTORY"
# Bazel gives these to a program that it runs and means that program's own files.
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
    """A relative name belongs to the user's folder."""
    return os.path.join(os.environ.get(FOLDER, ""), path)


def write_reports(*reports):
    """Writes the text of each (path, make_text) whose path the user gave."""
    for path, make_text in reports:
        if path:
            with open(user_path(path), "w", encoding="utf-8") as stream:
                stream.write(make_text())


def without_folder(environment):
    """For a program whose relative names are meant in the folder that it is started in."""
    return {name: value for name, value in environment.items() if name != FOLDER}


def surroundings(environment):
    """subprocess.Popen's options for a program of the user's: the user's folder, and the environment without what is
    this program's own."""
    kept = {name: value for name, value in environment.items() if name not in BAZELS_OWN}
    own = environment.get("RUNFILES_DIR")
    paths = environment.get("PYTHONPATH", "").split(os.pathsep)
    users = [path for path in paths if path and not (own and os.path.realpath(path).startswith(os.path.realpath(own)))]
    kept.pop("PYTHONPATH", None)
    if users:
        kept["PYTHONPATH"] = os.pathsep.join(users)
    return {"cwd": users_folder(environment), "env": kept}
