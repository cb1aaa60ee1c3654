import argparse
import contextlib
import io
import json
import unittest

from tools import xml_unittest

import fashion_mnist_cnn
import resnet50
import training_script


class CheckTest(unittest.TestCase):
    def check(self, workload, *flags):
        parser = training_script.argument_parser("")
        parser.set_defaults(data=None)
        return training_script.check(parser, parser.parse_args(flags), workload)

    def refused(self, workload, *flags):
        stderr = io.StringIO()
        with contextlib.redirect_stderr(stderr), self.assertRaises(SystemExit):
            self.check(workload, *flags)
        return stderr.getvalue()

    def test_the_batch_is_the_workloads_unless_given(self):
        self.assertEqual(self.check(resnet50, "--replicas=2").global_batch_size, 64)
        given = self.check(resnet50, "--replicas=2", "--batch=3")
        self.assertEqual(given.global_batch_size, 6)

    def test_images_that_must_be_read_must_be_named(self):
        self.assertIn("LOCKSTEP_DATA_DIR", self.refused(fashion_mnist_cnn))
        named = self.check(fashion_mnist_cnn, "--data=/images")
        self.assertEqual(named.global_batch_size, 64)

    def test_numbers_below_one_are_refused(self):
        self.assertIn("got -1", self.refused(resnet50, "--batch=-1"))
        for name in ("seed", "epochs", "warmup"):
            self.assertIn(f"--{name} must not be", self.refused(resnet50, f"--{name}=-1"))


class ReportTest(unittest.TestCase):
    def report(self, losses):
        arguments = argparse.Namespace(
            replicas=2, threads=2, global_batch_size=128, seed=1, epochs=0
        )
        stdout = io.StringIO()
        samples = [1.0, 2.0, 9.0]
        with contextlib.redirect_stdout(stdout):
            training_script.report(
                resnet50, "peer", arguments, {"x": "1"}, samples, losses
            )
        return json.loads(stdout.getvalue())

    def test_it_is_one_object_with_the_median_and_the_samples(self):
        result = self.report([2.0, 1.0])
        self.assertEqual(result["images_per_second"], 2.0)
        self.assertEqual(result["samples"], [1.0, 2.0, 9.0])
        self.assertEqual(
            result["name"],
            "Train/workload:resnet50/implementation:peer/replicas:2"
            "/global_batch_size:128/device:cpu",
        )

    def test_a_gpu_and_another_precision_are_in_the_name(self):
        arguments = argparse.Namespace(
            replicas=1, global_batch_size=64, device="gpu", precision="mixed_bfloat16"
        )
        self.assertEqual(
            training_script.entry_name(resnet50, "peer", arguments),
            "Train/workload:resnet50/implementation:peer/replicas:1"
            "/global_batch_size:64/precision:mixed_bfloat16/device:gpu",
        )
        arguments.precision = "float32"
        self.assertTrue(
            training_script.entry_name(resnet50, "peer", arguments).endswith(
                "/global_batch_size:64/device:gpu"
            )
        )

    def test_losses_that_fall_are_training(self):
        self.assertTrue(self.report([2.0, 1.0])["trained"])
        for losses in ([1.0, 2.0], [1.0, float("inf")]):
            self.assertFalse(self.report(losses)["trained"])


if __name__ == "__main__":
    xml_unittest.main()
