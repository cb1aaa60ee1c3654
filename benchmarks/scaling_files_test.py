"""The files of the scaling program: where they go, and that no result is lost."""

import os
import re
import resource
import stat
import threading

from benchmarks.scaling_program import ScalingProgramTest
from tools import xml_unittest

SHORT = ("--epochs=1", "--steps=1", "--replicas=1")


class ScalingFilesTest(ScalingProgramTest):
    def test_results_go_where_git_does_not_look(self):
        checkout = self.path("checkout")
        run = self.run_scaling(*SHORT, BUILD_WORKSPACE_DIRECTORY=checkout)
        self.assertEqual(run.returncode, 0, run.stderr)
        files = self.files()
        self.assertEqual(len(files), 2, files)
        self.assertRegex(files[0], r"^checkout/results/scaling-\d{8}-\d{6}\.html$")
        self.assertEqual(files[1], files[0].replace(".html", ".json"))
        for what, file in (("report", files[0]), ("result", files[1])):
            self.assertRegex(run.stdout, rf"(?m)^{what} +{re.escape(self.path(file))}$")

    def test_without_bazel_they_go_below_the_folder(self):
        run = self.run_scaling(*SHORT, "--report=none")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(self.files()[0], r"^results/scaling-\S+\.json$")

    def test_a_bad_place_is_refused_before_the_training(self):
        os.mkdir(self.path("folder"))
        for option in ("--json", "--report", "--trace"):
            for place in ("no/such/folder/r.json", "folder"):
                run = self.run_scaling(*SHORT, f"{option}={place}")
                self.assertEqual(run.returncode, 1)
                self.assertIn(place, run.stderr)
                self.assertEqual(run.stdout, "")
        self.assertEqual(self.files(), [])

    def test_two_files_of_one_name_are_refused_before_the_training(self):
        for options in (["--json=r.html"], ["--json=r", "--trace=./r"]):
            run = self.run_scaling(*SHORT, *options)
            self.assertEqual(run.returncode, 1)
            self.assertIn("are one file, wanted two", run.stderr)
            self.assertEqual(run.stdout, "")
        self.assertEqual(self.files(), [])

    def test_a_pipe_gets_the_result_and_stays_one(self):
        os.mkfifo(self.path("pipe"))
        read = []

        def reader():
            with open(self.path("pipe"), encoding="utf-8") as pipe:
                read.append(pipe.read())

        thread = threading.Thread(target=reader)
        thread.start()
        run = self.run_scaling("--epochs=2", "--steps=1", "--replicas=1", "--json=pipe")
        thread.join()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(read[0].count('"context"'), 1)  # one result, the whole one
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))
        [page] = [name for name in self.files() if name != "pipe"]
        self.assertRegex(page, r"^results/scaling-\S+-page\.html$")

    def test_standard_output_can_be_the_result(self):
        with open(self.path("out"), "w", encoding="utf-8") as out:
            run = self.run_scaling(*SHORT, "--json=/dev/stdout", "--report=none", stdout=out)
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(self.path("out"), encoding="utf-8") as out:
            text = out.read()
        self.assertLess(text.index("Training "), text.index('"context"'))
        self.assertLess(text.index('"context"'), text.index("result  /dev/stdout"))

    def test_a_full_disk_at_stdout_loses_no_result(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            run = self.run_scaling(*SHORT, "--json=r.json", stdout=full)
        self.assertEqual(run.returncode, 1)
        self.assertIn("not all that was printed arrived", run.stderr)
        self.assertTrue(self.result("r.json")["context"]["complete"])
        self.assertEqual(self.files(), ["r.html", "r.json"])

    def test_a_limit_on_file_sizes_is_an_error_of_each_file(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        # Without a folder for temporary files: ThreadSanitizer would write there at start, beyond the limit.
        run = self.run_scaling(
            *SHORT, "--json=r.json", preexec=limit, TMPDIR="/nonexistent", TEST_TMPDIR="/nonexistent"
        )
        self.assertEqual(run.returncode, 1)
        for what in ("write r.json", "write a file in memory"):  # which the page begins as
            self.assertRegex(run.stderr, rf"cannot {what}.*: File too large")
        self.assertIn("images/s", run.stdout)
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    xml_unittest.main()
