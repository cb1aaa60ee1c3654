"""The files of the scaling program: where they go, and that no run is lost."""

import os
import re
import resource
import signal
import stat
import threading

from benchmarks.scaling_program import ScalingProgramTest
from tools import xml_unittest

SHORT = ("--epochs=1", "--steps=1", "--replicas=1")
ENDLESS = ("--data=embedded", "--epochs=1000", "--steps=2", "--replicas=1,2", "--json=c.json")
# Steps of a tenth of a second: what is interrupted at its start is in its warm-up.
SLOW = ("--workload=resnet50", "--batch=2", "--image_size=96", "--replicas=1,2")


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

    def test_a_full_disk_behind_stdout_costs_no_result(self):
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
        run = self.run_scaling(*SHORT, "--json=r.json", preexec=limit, TMPDIR="/nonexistent",
                               TEST_TMPDIR="/nonexistent")
        self.assertEqual(run.returncode, 1)
        for what in ("write r.json", "write a file in memory"):  # which the page begins as
            self.assertRegex(run.stderr, rf"cannot {what}.*: File too large")
        self.assertIn("images/s", run.stdout)
        self.assertEqual(self.files(), [])


class ScalingInterruptTest(ScalingProgramTest):
    def test_ctrl_c_leaves_a_result_and_a_page_that_say_so(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            status, rest = self.interrupt(number, "Epoch 2", *ENDLESS)
            self.assertEqual(status, 128 + number)
            self.assertIn("Interrupted", rest)
            result = self.result("c.json")
            self.assertFalse(result["context"]["complete"])
            self.assertGreaterEqual(len(result["benchmarks"][0]["epochs"]), 1)
            with open(self.path("c.html"), encoding="utf-8") as page:
                self.assertIn("Incomplete", page.read())
            os.remove(self.path("c.html"))

    def test_ctrl_c_in_the_warm_up_leaves_a_result_and_a_page(self):
        status, rest = self.interrupt(signal.SIGINT, "Training", *SLOW, "--json=w.json")
        self.assertEqual(status, 130, rest)
        result = self.result("w.json")
        self.assertEqual([e["epochs"] for e in result["benchmarks"]], [[], []])
        with open(self.path("w.html"), encoding="utf-8") as page:
            self.assertIn("not measured", page.read())

    def test_a_killed_run_leaves_the_epochs_so_far_and_nothing_else(self):
        status, _ = self.interrupt(signal.SIGKILL, "Epoch 2", *ENDLESS)
        self.assertEqual(status, -signal.SIGKILL)
        result = self.result("c.json")
        self.assertFalse(result["context"]["complete"])
        [one, _] = result["benchmarks"]
        self.assertEqual(one["epochs"][0]["epoch_num"], 1)
        self.assertIsNone(one["checks"]["copies_bitwise_equal"])
        self.assertEqual(self.files(), ["c.json"])


if __name__ == "__main__":
    xml_unittest.main()
