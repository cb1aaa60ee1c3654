"""The command line of the performance report."""

import contextlib
import io
import json
import os
import unittest

from reports.performance import performance
from reports.performance.result_testing import folder, result, training, write
from tools import xml_unittest

TWO = result(training(1), training(2))


class PerformanceTest(unittest.TestCase):
    def setUp(self):
        self.folder = folder()
        self.result = write(self.folder, "r.json", TWO)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_main(self, *arguments):
        """(exit status, stdout, stderr)"""
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            try:
                status = performance.main(arguments)
            except SystemExit as end:
                status = end.code
        return status, out.getvalue(), errors.getvalue()

    def test_writes_what_is_asked_for(self):
        os.mkdir(self.path("pictures"))
        status, _, errors = self.run_main(
            self.result, *(f"--{kind}={self.path(kind)}" for kind in ("html", "markdown", "json", "pictures"))
        )
        self.assertEqual((status, errors), (0, ""))
        for kind, words in (
            ("html", "<h1>Performance</h1>"),
            ("markdown", "# Performance"),
            ("json", '"files"'),
            ("pictures/scaling.svg", "<svg"),
        ):
            with open(self.path(kind), encoding="utf-8") as file:
                self.assertIn(words, file.read())
        self.assertEqual(sorted(os.listdir(self.path("pictures"))), ["breakdown.svg", "scaling.svg"])

    def test_tells_notes_on_stderr_too(self):
        write(self.folder, "trace.json", {})
        status, _, errors = self.run_main(self.folder, f"--json={self.path('out')}")
        self.assertEqual(status, 0)
        self.assertRegex(errors, r"^trace: left out: \[load\] .*trace.json: no dict 'context'\n$")

    def test_an_error_is_one_line_and_writes_nothing(self):
        bad = write(self.folder, "bad.json", {**TWO, "benchmarks": [{}]})
        for arguments, words in (
            ((bad, self.result), "'name' is a required property"),
            ((self.path("gone.json"),), "No such file"),
            ((write(self.folder, "none.json", result()),), "no entry with a figure"),
        ):
            status, _, errors = self.run_main(*arguments, f"--html={self.path('page')}")
            self.assertEqual((status, errors.count("\n")), (1, 1))
            self.assertIn(words, errors)
        self.assertFalse(os.path.exists(self.path("page")))

    def test_a_place_that_cannot_be_written(self):
        for option in ("--html=no/such/page", "--pictures=no/such"):
            status, _, errors = self.run_main(self.result, f"{option}")
            self.assertEqual(status, 1)
            self.assertIn("no/such", errors)

    def test_wrong_command_lines(self):
        page = f"--html={self.path('page')}"
        for arguments, words in (
            ((page,), "give result files or folders"),
            ((self.result, f"--result={self.result}", page), "give result files or folders"),
            ((f"--result={self.result}",), "--result requires --html"),
            ((f"--result={self.result}", page, "--json=x"), "are for FILES"),
            ((self.result,), "where to write"),
            ((self.result, page, "--name=x"), "--name is for --result"),
        ):
            status, _, errors = self.run_main(*arguments)
            self.assertEqual(status, 2, arguments)
            self.assertIn(words, errors)

    def test_help_has_examples(self):
        status, out, _ = self.run_main("--help")
        self.assertEqual(status, 0)
        for words in ("Examples:", "benchmarks/results --html=performance.html", "--result=scaling.json", "--pictures"):
            self.assertIn(words, out)

    def test_one_result_still_has_a_page_of_its_own(self):
        run = {
            **TWO,
            "context": {
                **TWO["context"],
                "workload": "w",
                "complete": True,
                "data": {"name": "d", "source": "full", "train_images": 1, "test_images": 1},
            },
        }
        status, _, _ = self.run_main(
            f"--result={write(self.folder, 'run.json', json.dumps(run))}",
            f"--html={self.path('page')}",
            "--name=a name",
        )
        self.assertEqual(status, 0)
        with open(self.path("page"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("<h1>Scaling of w</h1>", text)
        self.assertIn("a name", text)


if __name__ == "__main__":
    xml_unittest.main()
