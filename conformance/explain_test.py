"""//conformance:explain as people use it, with only its own files."""

import os
import subprocess
import unittest

from tools import xml_unittest

EXPLAIN = "conformance/explain"


class ExplainTest(unittest.TestCase):
    def run_explain(self, *arguments, environment=None):
        return subprocess.run(
            [EXPLAIN, *arguments], capture_output=True, text=True, check=False, env=os.environ | (environment or {})
        )

    def write_program(self, name, text):
        path = os.path.join(os.environ["TEST_TMPDIR"], name)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o755)
        return path

    def test_tells_of_a_built_in_case(self):
        result = self.run_explain("input/rebatch/last_global_batch_is_split")
        self.assertEqual(result.returncode, 0, result.stderr)
        for words in (
            "still divided over all replicas",
            "https://www.tensorflow.org/tutorials/distribute/input",
            "batches = dataset.batch(numbers, size: 4)",
            "equals [[2, 2], [1, 1]]",
            "reference:",
        ):
            self.assertIn(words, result.stdout)

    def test_runs_the_script_by_the_python_of_the_frameworks(self):
        frameworks = self.write_program("frameworks_python", 'test -e "$1" && echo "shown by $1"')
        # In the place of the one that runs make_venv.py, which would install the frameworks.
        self.write_program("python3", 'test -e "$1" && echo ' + frameworks)
        path = os.environ["TEST_TMPDIR"] + ":" + os.environ["PATH"]
        result = self.run_explain(
            "variables/mirrored/copies_never_differ", "--as=tensorflow", environment={"PATH": path}
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("shown by conformance/defects/tensorflow/tensorflow_copies_differ.py", result.stdout)


if __name__ == "__main__":
    xml_unittest.main()
