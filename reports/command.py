"""The shared parts of all reports' command lines."""

import os
import sys

from command_line.user_paths import user_path
from reports.json_file import ReportError
from reports.output_file import OutputFile


def conformance_path(*names):
    """A file of the project's conformance folder, also among Bazel's runfiles."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return os.path.join(root, "conformance", *names)


def output(path):
    """The user's file to write to (OutputFile). For no path, one that does nothing."""
    return OutputFile(path if path in (None, "-") else user_path(path))


def run(work, on_error=1):
    """The exit status that work() gives, 0 for none.

    `on_error`, with a line on stderr that says what is wrong, after ReportError and
    OSError.
    """
    try:
        status = work()
        sys.stdout.flush()
    except (ReportError, OSError) as error:
        print(error, file=sys.stderr)
        return on_error
    return status or 0
