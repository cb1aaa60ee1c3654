"""Figures of documents beside what a program prints: made-up programs and lines."""

import contextlib
import io
import json
import os
import unittest

from examples import documented_figures
from tools import source_tree, xml_unittest

FIGURE = {
    "program": "training",
    "figure": "loss of the last epoch",
    "line": "^Epoch .*Loss: ([0-9.]+)$",
    "which": -1,
    "documented": 0.5,
    "within": 0.125,
    "because": "made up",
}


class FiguresTest(source_tree.PlantedTree):
    def run_main(self, script, *arguments, **changes):
        """(status, what is printed) where the program is this shell script."""
        document = {"programs": {"training": ["--folder={folder}"]}, "figures": [{**FIGURE, **changes}]}
        self.plant(documented_figures.FILE, json.dumps(document))
        self.plant("examples/training", "#!/bin/sh\n" + script)
        os.chmod(os.path.join(self.root, "examples/training"), 0o755)
        before = os.getcwd()
        os.chdir(self.root)
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                return documented_figures.main(arguments), printed.getvalue()
        finally:
            os.chdir(before)

    def test_the_number_of_the_line_that_is_asked_for_counts(self):
        lines = "echo 'Epoch 1, Loss: 9'\necho 'Epoch 2, Loss: 0.625'\n"
        status, printed = self.run_main(lines)
        self.assertEqual(status, 0)
        self.assertIn("ok    training, loss of the last epoch: documented 0.5, observed 0.625, within 0.125", printed)
        self.assertEqual(self.run_main(lines, which=0)[0], 1)

    def test_a_number_beyond_its_bound_is_off(self):
        status, printed = self.run_main("echo 'Epoch 2, Loss: 0.626'\n")
        self.assertEqual(status, 1)
        self.assertIn("OFF   training", printed)

    def test_a_program_that_fails_or_prints_no_such_line_fails(self):
        self.assertIn("ended with exit status 3", self.run_main("exit 3\n")[1])
        status, printed = self.run_main("echo 'Loss: 0.5'\n")
        self.assertEqual(status, 1)
        self.assertIn("training printed 0 lines like", printed)

    def test_the_full_data_are_asked_for(self):
        condition = '[ "$1" = --data=full ] && [ -d "${2#--folder=}" ] && echo \'Epoch 2, Loss: 0.5\'\n'
        self.assertEqual(self.run_main(condition)[0], 0)

    def test_rows_are_written(self):
        path = os.path.join(self.root, "rows.json")
        self.run_main("echo 'Epoch 2, Loss: 0.5'\n", "--json=" + path)
        with open(path, encoding="utf-8") as stream:
            self.assertEqual(json.load(stream)["figures"][0]["observed"], 0.5)


class OwnFiguresTest(unittest.TestCase):
    def test_each_figure_belongs_to_a_program_and_has_a_reason(self):
        programs, figures = documented_figures.load()
        self.assertEqual({figure.program for figure in figures}, set(programs))
        self.assertTrue(all(figure.within > 0 and figure.because for figure in figures))


if __name__ == "__main__":
    xml_unittest.main()
