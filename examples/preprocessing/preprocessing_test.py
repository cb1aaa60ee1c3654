"""//examples:preprocessing learns the prices that its rows follow, and predicts them from files alone."""

import os
import re
import subprocess
import tempfile
import unittest

from tools import xml_unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(xml_unittest.__file__)))
PROGRAM = os.path.join(ROOT, "examples", "preprocessing", "preprocessing")

WEIGHTS = [0.5 * ((5 * row + file) % 16) for file in range(4) for row in range(12)]
MEAN_WEIGHT = sum(WEIGHTS) / len(WEIGHTS)
# From weights of zero, gradient descent keeps the bias equal to the sum of the three colors' own weights. Their prices
# without the weight are 0, 10 and 20, so that four times the bias is 30 plus three times the price of the mean weight.
UNKNOWN = (30 + 3 * 2 * MEAN_WEIGHT) / 4 + 2 * (2.5 - MEAN_WEIGHT)


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


class PreprocessingTest(unittest.TestCase):
    def test_serves_what_it_learned(self):
        for replicas in (1, 2, 3):
            with self.subTest(replicas), tempfile.TemporaryDirectory() as folder:
                ran = run(f"--replicas={replicas}", f"--folder={folder}")
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertIn(f"Number of devices: {replicas}\n", ran.stdout)
                prices = dict(re.findall(r"kg of (\w+): ([\d.]+)", ran.stdout))
                self.assertEqual(list(prices), ["red", "blue", "violet"])
                self.assertEqual(prices["red"], "5.00")
                self.assertEqual(prices["blue"], "25.00")
                self.assertAlmostEqual(float(prices["violet"]), UNKNOWN, delta=0.02)
                self.assertEqual(sorted(os.listdir(folder)), ["analysis", "data", "model.keras"])
                self.assertIn("transform.json", os.listdir(os.path.join(folder, "analysis")))

    def test_help(self):
        ran = run("--help")
        self.assertEqual(ran.returncode, 0)
        self.assertIn("--folder", ran.stdout)

    def test_wrong_option(self):
        self.assertEqual(run("--epochs=0").returncode, 2)


if __name__ == "__main__":
    xml_unittest.main()
