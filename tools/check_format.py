"""Fails where C++ or CUDA code is not formatted by clang-format; --fix rewrites it.

    ./bazelw run //tools:check_format -- --fix

Version 14 on every machine: versions differ in details.
"""

import concurrent.futures
import os
import shutil
import subprocess
import sys

from tools import source_tree

PROGRAM = "clang-format-14"
SUFFIXES = (".h", ".cc", ".cu", ".cuh")
FILES_A_CALL = 20


def _format(root, paths, options):
    done = subprocess.run(
        [PROGRAM, "--style=file", *options, *paths],
        cwd=root,
        text=True,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return done.stdout if done.returncode else ""


def check(root, options=("--dry-run", "-Werror", "--ferror-limit=1")):
    """What clang-format says of each file; [] when it would change none."""
    if not shutil.which(PROGRAM):
        return ["%s is missing: apt-get install %s" % (PROGRAM, PROGRAM)]
    paths = source_tree.list_files(root, SUFFIXES)
    batches = [paths[i : i + FILES_A_CALL] for i in range(0, len(paths), FILES_A_CALL)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outputs = list(pool.map(lambda batch: _format(root, batch, options), batches))
    return [output for output in outputs if output]


def fix(root):
    return check(root, options=("-i",))


if __name__ == "__main__":
    sys.exit(source_tree.run(fix if "--fix" in sys.argv[1:] else check))
