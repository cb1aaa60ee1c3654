"""The scaling program for tests: started as a user does, in a folder of its own."""

import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.path.abspath("benchmarks/scaling")


def environment(**changes):
    kept = {k: v for k, v in os.environ.items() if k != "BUILD_WORKING_DIRECTORY"}
    return {**kept, **changes}


class ScalingProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_scaling(self, *arguments, data="embedded", **changes):
        images = [f"--data={data}"] if data else []
        return subprocess.run(
            [PROGRAM, *images, "--threads=2", *arguments],
            capture_output=True, text=True, timeout=240,
            cwd=self.folder, env=environment(**changes))

    def result(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)
