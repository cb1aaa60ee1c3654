"""Interrupting the scaling program loses no run."""

import os
import signal

from benchmarks.scaling_program import ScalingProgramTest
from tools import xml_unittest

ENDLESS = ("--data=embedded", "--epochs=1000", "--steps=2", "--replicas=1,2", "--json=c.json")
# Steps of a tenth of a second: what is interrupted at its start is in its warm-up.
SLOW = ("--workload=resnet50", "--batch=2", "--image_size=96", "--replicas=1,2")


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
