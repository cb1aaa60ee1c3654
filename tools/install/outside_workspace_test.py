"""Builds and runs examples/outside as a Bazel workspace of its own, which depends on this one.

    ./bazelw test //tools/install:outside_workspace_test

It compiles the whole reference in the other workspace, some ten minutes on two cores, so `//...` leaves it out.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from tools import xml_unittest

# This file in the source tree: Bazel's runfiles are links to it.
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FILES = {"BUILD": "BUILD", "WORKSPACE": "WORKSPACE", "my_training.cc": "my_training.cc", "bazelrc": ".bazelrc"}


class OutsideWorkspaceTest(unittest.TestCase):
    def test_its_program_is_built_and_trains(self):
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            project = pathlib.Path(folder, "my_project")
            project.mkdir()
            for source, target in FILES.items():
                shutil.copyfile(ROOT / "examples/outside" / source, project / target)
            os.symlink(ROOT, os.path.join(folder, "lockstep"))
            bazel = ["bazel", "--nohome_rc", f"--output_user_root={folder}/bazel"]
            environment = {"HOME": folder, "PATH": os.environ["PATH"]}
            try:
                ran = subprocess.run(
                    [*bazel, "run", "--noshow_progress", "//:my_training"],
                    cwd=project,
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                # The mean of (2 * x)^2 for x = 1, 2, 3, 4.
                self.assertTrue(ran.stdout.endswith("loss 30\n"), ran.stdout + ran.stderr)
            finally:
                subprocess.run([*bazel, "shutdown"], cwd=project, env=environment, capture_output=True, check=False)
                subprocess.run(["chmod", "-R", "u+w", folder], check=False)


if __name__ == "__main__":
    xml_unittest.main()
