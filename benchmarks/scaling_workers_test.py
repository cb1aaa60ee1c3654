"""The scaling program on several workers: the processes that it starts, what it tells, what is left of them."""

import os
import signal
import subprocess
import time

from benchmarks.scaling_program import PROGRAM, ScalingProgramTest, environment
from processes.ports import free_ports
from tools import xml_unittest

TWO = ("--data=embedded", "--workers=2", "--replicas=1", "--json=r.json")
ENDLESS = (*TWO, "--epochs=1000", "--steps=2", "--report=none")


def state_and_parent(pid):
    """('Z', '1'): the fields of /proc; none where there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[:2]
    except OSError:
        return None


def workers_of(process):
    """Ids of the processes that a program has started."""
    pids = filter(str.isdigit, os.listdir("/proc"))
    return [int(pid) for pid in pids if (state_and_parent(pid) or ["", ""])[1] == str(process.pid)]


def ends(pid):
    """Whether a process is gone within ten seconds."""
    for _ in range(1000):
        found = state_and_parent(pid)
        if found is None or found[0] in "ZX":
            return True
        time.sleep(0.01)
    return False


# How far losses may be apart after five steps in float32: densenet_test.cc says why DenseNet's are.
SMALL_FORMS = {"bert_small": 1e-4, "densenet_small": 5e-3, "ncf_small": 1e-5, "nmt_small": 1e-4}


class ScalingWorkersTest(ScalingProgramTest):
    def test_two_workers_learn_what_one_with_as_many_replicas_learns(self):
        run = self.run_scaling(
            "--workers=2,1",
            "--replicas=1,2",
            "--epochs=2",
            "--steps=13",
            "--scaling=strong",
            "--batch=64",
            "--json=r.json",
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        result = self.result("r.json")
        self.assertTrue(result["context"]["complete"])
        self.assertEqual(result["context"]["options"]["workers"], [1, 2])
        entries = result["benchmarks"]
        self.assertEqual(
            [(e["workers"], e["replicas"], e["threads_per_replica"]) for e in entries],
            [(1, 1, 2), (1, 2, 1), (2, 1, 1), (2, 2, 1)],
        )
        self.assertEqual(
            entries[2]["name"], "Train/workload:fashion_mnist_cnn/workers:2/replicas:1/global_batch_size:64/device:cpu"
        )
        for entry in entries:
            self.assertTrue(entry["checks"]["copies_bitwise_equal"])
            self.assertEqual(entry["iterations"], 6)
            for mine, of_one in zip(entry["epochs"], entries[0]["epochs"]):
                # Sums of 64 losses in another order, after 26 steps of Adam.
                self.assertAlmostEqual(mine["loss"], of_one["loss"], delta=1e-4 * of_one["loss"])
                self.assertAlmostEqual(mine["eval_accuracy"], of_one["eval_accuracy"], delta=0.2)
            self.assertGreater(entry["communication_ms"], 0)
            self.assertLess(entry["communication_ms"], entry["exposed_communication_ms"] + 1e-9)
            self.assertLess(entry["communication_share"], 1)
        self.assertEqual(["over_one_worker" in e for e in entries], [False, False, True, False])
        self.assertIn("2 workers x 1 replica: Epoch 2, Loss: ", run.stdout)
        self.assertRegex(run.stdout, r"2 workers x 2 replicas: summing the gradients takes")
        with open(self.path("r.html"), encoding="utf-8") as page:
            self.assertIn("2 workers × 1 replica", page.read())

    def test_small_forms_learn_on_two_workers_what_one_replica_learns(self):
        for workload, delta in SMALL_FORMS.items():
            with self.subTest(workload):
                run = self.run_scaling(
                    f"--workload={workload}",
                    "--workers=1,2",
                    "--replicas=1",
                    "--scaling=strong",
                    "--batch=7",
                    "--epochs=1",
                    "--steps=5",
                    "--report=none",
                    "--json=r.json",
                    data=None,
                )
                self.assertEqual(run.returncode, 0, run.stderr)
                one, two = self.result("r.json")["benchmarks"]
                self.assertEqual((one["workers"], two["workers"]), (1, 2))
                self.assertTrue(two["checks"]["copies_bitwise_equal"])
                for field in ("loss", "test_loss"):
                    self.assertAlmostEqual(two["epochs"][0][field], one["epochs"][0][field], delta=delta, msg=field)

    def test_a_trace_has_the_replicas_of_all_workers_on_one_clock(self):
        run = self.run_scaling(*TWO, "--epochs=1", "--steps=24", "--report=none", "--trace=t.json", data=None)
        self.assertEqual(run.returncode, 0, run.stderr)
        events = self.result("t.json")["traceEvents"]
        self.assertEqual(
            {e["args"]["name"] for e in events if e["name"] in ("process_name", "thread_name")},
            {
                "fashion_mnist_cnn, 2 workers, 1 replica, global batch 128",
                "worker 0, replica 0 (CPU:0)",
                "worker 1, replica 0 (CPU:0)",
            },
        )
        # No worker leaves an all-reduce before the other has come to it.
        sums = [[e for e in events if e["name"] == "AllReduce" and e["tid"] == worker] for worker in (0, 1)]
        self.assertEqual([len(of_worker) for of_worker in sums], [3, 3])
        for one, other in zip(*sums):
            self.assertLess(max(one["ts"], other["ts"]), min(one["ts"] + one["dur"], other["ts"] + other["dur"]))

    def test_what_several_workers_cannot_do_is_refused(self):
        for option in ("--device=gpu", "--pace=3", "--step_times"):
            run = self.run_scaling(*TWO, option, data=None)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn("--workers", run.stderr)
        for option in ("--device=gpu", "--pace=3", "--step_times", "--workers=2", "--replicas=1,2", "--baseline"):
            run = self.run_scaling("--chief=localhost:7000", "--replicas=1", option)
            self.assertEqual(run.returncode, 2, run.stderr)

    def launch(self, *arguments_of_each):
        """What each of the processes ended with that torchrun would start: (status, stdout, stderr)."""
        chief = f"--chief=localhost:{free_ports(1)[0]}"
        processes = [
            subprocess.Popen(
                [PROGRAM, "--data=embedded", "--threads=2", "--replicas=1", chief, *arguments],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd=self.folder,
                env=environment(RANK=str(rank), WORLD_SIZE=str(len(arguments_of_each))),
            )
            for rank, arguments in enumerate(arguments_of_each)
        ]
        ends = [process.communicate(timeout=120) for process in processes]
        return [(process.returncode, *end) for process, end in zip(processes, ends)]

    def test_workers_of_a_launcher_train_together_and_the_first_one_tells(self):
        arguments = ("--epochs=1", "--steps=13", "--scaling=strong", "--batch=64", "--json=r.json")
        first, second = self.launch(arguments, arguments)
        self.assertEqual((first[0], second[:2]), (0, (0, "")), (first, second))
        self.assertIn("2 workers x 1 replica: Epoch 1, Loss: ", first[1])
        [entry] = self.result("r.json")["benchmarks"]
        self.assertEqual((entry["workers"], entry["replicas"], entry["threads_per_replica"]), (2, 1, 1))
        self.assertTrue(entry["checks"]["copies_bitwise_equal"])
        self.assertEqual(self.files(), ["r.html", "r.json"])

    def test_workers_of_a_launcher_that_would_train_other_things_are_refused(self):
        ends = self.launch(("--epochs=1", "--seed=1"), ("--epochs=1", "--seed=2"))
        for status, _, complaint in ends:
            self.assertEqual(status, 1)
            self.assertIn("--seed=", complaint)

    def test_a_worker_that_dies_is_named_and_nothing_is_left(self):
        with self.started(*ENDLESS, stderr=subprocess.PIPE) as process:
            for line in process.stdout:
                if "Epoch 2" in line:
                    break
            [worker] = workers_of(process)
            os.kill(worker, signal.SIGKILL)
            _, complaint = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 1)
            self.assertEqual(complaint.splitlines()[-1], "2 workers x 1 replica: worker 1 ended with signal 9 (Killed)")
        self.assertFalse(self.result("r.json")["context"]["complete"])
        self.assertEqual(self.files(), ["r.json"])

    def test_ctrl_c_leaves_a_result_and_no_process(self):
        with self.started(*ENDLESS, stderr=subprocess.PIPE) as process:
            for line in process.stdout:
                if "Epoch 2" in line:
                    break
            [worker] = workers_of(process)
            process.send_signal(signal.SIGINT)
            rest, complaint = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, complaint)
            self.assertIn("Interrupted", rest)
            self.assertTrue(ends(worker))
            self.assertNotIn("W [", complaint)
        [entry] = self.result("r.json")["benchmarks"]
        self.assertGreaterEqual(len(entry["epochs"]), 2)
        self.assertIsNone(entry["checks"]["copies_bitwise_equal"])

    def test_a_killed_run_leaves_no_worker(self):
        with self.started(*ENDLESS, stderr=subprocess.DEVNULL) as process:
            for line in process.stdout:
                if "Epoch 1" in line:
                    break
            [worker] = workers_of(process)
            process.kill()
            process.wait(timeout=60)
            self.assertTrue(ends(worker))


if __name__ == "__main__":
    xml_unittest.main()
