"""A training of a model that is interrupted goes on as if it had not been."""

import os
import re
import subprocess
import tempfile
import unittest

from tools import xml_unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(xml_unittest.__file__)))
PROGRAM = os.path.join(ROOT, "examples", "models", "ncf")


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


def epochs(model, folder, count):
    """The lines of the epochs that this run trained."""
    ran = run(f"--model={model}", f"--epochs={count}", f"--folder={folder}", "--data=embedded", "--steps=2")
    if ran.returncode:
        raise AssertionError(ran.stderr)
    return re.findall(r"^Epoch .*", ran.stdout, re.MULTILINE)


class ModelTrainingTest(unittest.TestCase):
    def test_goes_on_as_if_never_stopped(self):
        for model in ("ncf", "densenet_small", "bert_small", "nmt_small"):
            with self.subTest(model), tempfile.TemporaryDirectory() as folder:
                whole = epochs(model, os.path.join(folder, "whole"), 3)
                parts = os.path.join(folder, "parts")
                self.assertEqual([line.split(",")[0] for line in whole], ["Epoch 1", "Epoch 2", "Epoch 3"])
                self.assertNotEqual(whole[1].split(",")[1], whole[2].split(",")[1])
                self.assertEqual(epochs(model, parts, 1) + epochs(model, parts, 3), whole)
                self.assertEqual(epochs(model, parts, 3), [])

    def test_another_models_checkpoint_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            epochs("bert_small", folder, 1)
            ran = run("--model=nmt_small", f"--folder={folder}")
            self.assertEqual(ran.returncode, 1)
            self.assertIn("[Checkpoint.Restore]", ran.stderr)

    def test_help(self):
        ran = run("--help")
        self.assertEqual(ran.returncode, 0)
        self.assertIn("//examples:bert", ran.stdout)

    def test_unknown_model(self):
        ran = run("--model=bret")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("bert", ran.stderr)


if __name__ == "__main__":
    xml_unittest.main()
