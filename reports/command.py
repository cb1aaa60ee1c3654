"""What the command lines of all reports have in common."""

import os
import sys

from reports.json_file import ReportError


def user_path(path):
    """`bazel run` starts elsewhere: relative names belong to the user's folder."""
    return os.path.join(os.environ.get("BUILD_WORKING_DIRECTORY", ""), path)


def conformance_path(*names):
    """A file of the project's conformance folder, also among Bazel's runfiles."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return os.path.join(root, "conformance", *names)


def write(path, content):
    """Writes text, or bytes, to the user's file. Does nothing for no path."""
    if not path:
        return
    data = content if isinstance(content, bytes) else content.encode("utf-8")
    with open(user_path(path), "wb") as file:
        file.write(data)


def run(work):
    """Exit status 0, or 1 with a line on stderr that says what is wrong."""
    try:
        work()
    except (ReportError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0
