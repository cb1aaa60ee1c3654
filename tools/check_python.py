"""Fails where ruff or mypy (pyproject.toml) finds a problem in Python; --fix rewrites what a program can.

    ./bazelw run //tools:check_python -- --fix

The first call makes the linters' environment (30 MB of downloads, third_party/linters). No test runs it: a build needs
no network.
"""

import os
import subprocess
import sys

from tools import source_tree

MAKE_VENV = "third_party/frameworks/make_venv.py"
# What mypy checks.
TYPED = (
    "reports",
    "tools",
    "benchmarks/gate",
    "command_line",
    "conformance/answers",
    "conformance/less",
    "conformance/patches",
    "conformance/mutants",
    "conformance/new",
    "conformance/oracles",
    "conformance/versions",
    "processes",
)


def linters(root):
    """The folder of their programs."""
    made = subprocess.run(
        [sys.executable, os.path.join(root, MAKE_VENV), "linters"], check=True, text=True, stdout=subprocess.PIPE
    )
    return os.path.dirname(made.stdout.strip())


def commands(programs, fix):
    ruff = os.path.join(programs, "ruff")
    return [
        [ruff, "check", "--quiet", *["--fix"] * fix, "."],
        [ruff, "format", "--quiet", *["--check"] * (not fix), "."],
        [os.path.join(programs, "mypy"), "--no-error-summary", *TYPED],
    ]


def main(arguments):
    root = source_tree.find_root()
    statuses = [
        subprocess.run(command, cwd=root, check=False).returncode
        for command in commands(linters(root), "--fix" in arguments)
    ]
    if any(statuses):
        print(
            "[CheckPython] not as pyproject.toml requires: ./bazelw run //tools:check_python -- --fix fixes what a "
            "program can",
            file=sys.stderr,
        )
    return 1 if any(statuses) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
