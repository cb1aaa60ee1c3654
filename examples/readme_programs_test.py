"""README.md shows first_program.cc and first_fit.cc as they are, and they print what their losses are by hand.

The model is w * x with w = 0, the labels are 2 * x: the loss is 7.5 * (w - 2)^2 and its gradient 15 * (w - 2), so
w is 0, 1.875 and 1.9921875. All of it is exact in float32.
"""

import os
import re
import subprocess
import tempfile
import unittest

from tools import xml_unittest

LOSSES = ["30", "0.1171875", "0.000457763671875"]
PROGRAMS = {
    "first_program": [f"epoch {number}: loss {loss}" for number, loss in enumerate(LOSSES, 1)],
    "first_fit": [f"loss {loss}" for loss in LOSSES],  # after the lines that Fit prints
}
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(xml_unittest.__file__)))
FOLDER = os.path.join(ROOT, "examples")


def shown(readme):
    """The programs of a document: its blocks of C++."""
    return re.findall(r"^```c\+\+\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)


def source_of(name):
    """What a document shows of a program: all but its comment at the top."""
    with open(os.path.join(FOLDER, name + ".cc"), encoding="utf-8") as file:
        return re.sub(r"\A(?://.*\n)+", "", file.read())


class ReadmeProgramsTest(unittest.TestCase):
    def test_readme_shows_the_programs(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            self.assertEqual(shown(file.read()), [source_of(name) for name in PROGRAMS])

    def test_losses_are_exact(self):
        for name, lines in PROGRAMS.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                ran = subprocess.run(
                    [os.path.join(FOLDER, name)], cwd=folder, capture_output=True, text=True, check=False
                )
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertEqual(ran.stdout.splitlines()[-len(lines) :], lines)


if __name__ == "__main__":
    xml_unittest.main()
