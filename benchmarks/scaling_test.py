"""The scaling program as a user starts it: what it trains, its result, its messages."""

import os

from benchmarks.scaling_program import ScalingProgramTest
from tools import xml_unittest


class ScalingTest(ScalingProgramTest):
    def test_trains_each_number_of_replicas_and_writes_result_and_report(self):
        run = self.run_scaling("--epochs=2", "--steps=3", "--replicas=2,1", "--json=r.json")
        self.assertEqual(run.returncode, 0, run.stderr)
        result = self.result("r.json")
        self.assertTrue(result["context"]["complete"])
        self.assertEqual(result["context"]["data"]["source"], "embedded")
        self.assertEqual(
            [e["name"] for e in result["benchmarks"]],
            [
                "Train/workload:fashion_mnist_cnn/replicas:1/global_batch_size:64/device:cpu",
                "Train/workload:fashion_mnist_cnn/replicas:2/global_batch_size:128/device:cpu",
            ],
        )
        for entry in result["benchmarks"]:
            self.assertEqual([e["epoch_num"] for e in entry["epochs"]], [1, 2])
            self.assertLess(entry["epochs"][1]["loss"], entry["epochs"][0]["loss"])
            self.assertTrue(entry["checks"]["copies_bitwise_equal"])
        self.assertIn("2 replicas: Epoch 2, Loss: ", run.stdout)
        with open(self.path("r.html"), encoding="utf-8") as page:
            self.assertIn("Scaling of fashion_mnist_cnn", page.read())

    def test_strong_scaling_divides_one_batch(self):
        run = self.run_scaling(
            "--scaling=strong",
            "--batch=6",
            "--epochs=1",
            "--steps=2",
            "--replicas=1,2",
            "--json=r.json",
            "--report=none",
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        result = self.result("r.json")
        self.assertEqual(result["context"]["options"]["scaling"], "strong")
        self.assertEqual([e["global_batch_size"] for e in result["benchmarks"]], [6, 6])

    def test_a_strategy_of_one_replica_trains_as_none_does(self):
        run = self.run_scaling("--baseline", "--epochs=2", "--steps=3", "--replicas=1", "--json=r.json")
        self.assertEqual(run.returncode, 0, run.stderr)
        one, none = sorted(self.result("r.json")["benchmarks"], key=lambda entry: entry["strategy"])
        self.assertEqual([one["strategy"], none["strategy"]], ["mirrored", "none"])
        for mine, its in zip(one["epochs"], none["epochs"]):
            self.assertEqual(mine["loss"], its["loss"])
            self.assertEqual(mine["eval_accuracy"], its["eval_accuracy"])
        self.assertIn("no strategy: Epoch 2, Loss: ", run.stdout)
        self.assertRegex(run.stdout, r"takes \d+\.\d\d % (more|less) under the strategy")
        self.assertGreater(one["strategy_overhead"], -1)

    def test_a_batch_smaller_than_the_replicas_is_refused(self):
        run = self.run_scaling("--scaling=strong", "--batch=2", "--replicas=3", "--epochs=1")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("[Scaling] a batch of 2 cannot be divided over 3 replicas", run.stderr)

    def test_trains_on_a_gpu_or_says_that_there_is_none(self):
        run = self.run_scaling(
            "--device=gpu", "--tf32", "--epochs=1", "--steps=2", "--replicas=1", "--json=r.json", "--report=none"
        )
        if run.returncode == 0:
            self.assertEqual(self.result("r.json")["context"]["gpu_math"], "tf32 on, autotune off")
        else:
            self.assertIn("no device GPU:0", run.stderr)
            self.assertNotIn("LOCKSTEP_REQUIRE_GPU", os.environ)

    def test_resnet50_trains_on_synthetic_images(self):
        run = self.run_scaling(
            "--workload=resnet50",
            "--batch=1",
            "--image_size=32",
            "--epochs=2",
            "--steps=2",
            "--replicas=2",
            "--json=r.json",
            data=None,
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        result = self.result("r.json")
        self.assertEqual(result["context"]["data"]["source"], "synthetic")
        self.assertEqual(result["context"]["options"]["image_size"], 32)
        [entry] = result["benchmarks"]
        self.assertEqual(entry["name"], "Train/workload:resnet50/replicas:2/global_batch_size:2/device:cpu")
        self.assertEqual(entry["opt_name"], "sgd")
        self.assertTrue(entry["checks"]["copies_bitwise_equal"])
        self.assertLess(entry["epochs"][1]["loss"], entry["epochs"][0]["loss"])
        with open(self.path("r.html"), encoding="utf-8") as page:
            self.assertIn("Scaling of resnet50", page.read())

    def test_trains_in_16_bits(self):
        run = self.run_scaling(
            "--precision=mixed_bfloat16", "--epochs=1", "--steps=4", "--replicas=2", "--json=r.json", "--report=none"
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        result = self.result("r.json")
        self.assertEqual(result["context"]["precision"], "mixed_bfloat16")
        [entry] = result["benchmarks"]
        self.assertIn("/precision:mixed_bfloat16/", entry["name"])
        self.assertTrue(entry["checks"]["copies_bitwise_equal"])

    def test_the_same_seed_gives_the_same_losses(self):
        losses = []
        for name in ("a.json", "b.json"):
            run = self.run_scaling("--epochs=1", "--steps=4", "--replicas=2", "--report=none", f"--json={name}")
            self.assertEqual(run.returncode, 0, run.stderr)
            losses.append(self.result(name)["benchmarks"][0]["epochs"][0]["loss"])
        self.assertEqual(losses[0], losses[1])

    def test_the_full_data_set_that_is_not_there_names_the_command(self):
        run = self.run_scaling(data="full", LOCKSTEP_DATA_DIR=self.folder)
        self.assertEqual(run.returncode, 1)
        self.assertIn("//image_datasets:fetch", run.stderr)


if __name__ == "__main__":
    xml_unittest.main()
