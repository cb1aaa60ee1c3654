"""The scaling program in turns with another one: docs/formats.md, "Taking turns"."""

import os
import re
import signal
import subprocess
import time

from benchmarks.scaling_program import ScalingProgramTest
from tools import xml_unittest

TURN = re.compile(r"turn (\d+\.\d{6})\n")
SHORT = ("--data=embedded", "--epochs=1", "--steps=7", "--replicas=1,2", "--json=r.json", "--report=none")
WAIT = 1.5  # seconds


class PaceTest(ScalingProgramTest):
    def paced(self, *arguments):
        return self.started(*SHORT, "--pace=3", *arguments, stdin=subprocess.PIPE, stderr=subprocess.PIPE)

    def next_turn(self, process):
        """(CPU seconds that the next turn's line tells or None where there is none, lines before it)."""
        before = []
        for line in process.stdout:
            if match := TURN.fullmatch(line):
                return float(match[1]), before
            before.append(line)
        return None, before

    def give(self, process):
        process.stdin.write("\n")
        process.stdin.flush()

    def take_all_turns(self, process):
        """(CPU seconds in each turn's line, all other lines)."""
        cpu_seconds, others = [], []
        while True:
            cpu, before = self.next_turn(process)
            others += before
            if cpu is None:
                return cpu_seconds, others
            cpu_seconds.append(cpu)
            self.give(process)

    def test_turns_are_of_so_many_steps_and_end_with_the_epoch(self):
        with self.paced() as process:
            cpu_seconds, others = self.take_all_turns(process)
            self.assertEqual(process.wait(timeout=60), 0, process.stderr.read())
        self.assertEqual(len(cpu_seconds), 1 + 2 * 3)
        self.assertEqual(cpu_seconds, sorted(cpu_seconds))
        self.assertGreater(cpu_seconds[-1], cpu_seconds[0])
        self.assertIn("1 replica: Epoch 1, Loss: ", "".join(others))
        result = self.result("r.json")
        self.assertTrue(result["context"]["complete"])
        self.assertEqual(result["context"]["options"]["pace"], 3)
        for entry in result["benchmarks"]:
            for name in ("step_ms", "step_cpu_ms"):
                self.assertEqual(len(entry["samples"][name]), 7)
                self.assertGreater(min(entry["samples"][name]), 0)
            self.assertLessEqual(sum(entry["samples"]["step_ms"]) / 1000, entry["epochs"][0]["seconds"] + 1e-3)
        of_steps = sum(sum(e["samples"]["step_cpu_ms"]) for e in result["benchmarks"])
        self.assertLessEqual(of_steps / 1000, cpu_seconds[-1] - cpu_seconds[0] + 1e-3)

    def test_waiting_is_no_part_of_any_time(self):
        with self.paced() as process:
            self.next_turn(process)
            start = time.monotonic()
            self.give(process)
            self.next_turn(process)
            time.sleep(WAIT)
            self.assertIsNone(process.poll())
            self.give(process)
            self.take_all_turns(process)
            process.wait(timeout=60)
            without_wait = time.monotonic() - start - WAIT
        entries = self.result("r.json")["benchmarks"]
        self.assertLess(sum(entry["epochs"][0]["seconds"] for entry in entries), without_wait)
        steps = sum(sum(entry["samples"]["step_ms"]) for entry in entries)
        self.assertLess(steps, 1000 * without_wait)

    def test_the_inputs_end_is_an_error_that_leaves_nothing(self):
        for given in range(3):
            with self.paced() as process:
                for _ in range(given):
                    self.next_turn(process)
                    self.give(process)
                self.next_turn(process)
                process.stdin.close()
                self.assertEqual(process.wait(timeout=60), 1)
                self.assertEqual(
                    process.stderr.read().splitlines()[-1],
                    "[Turns] the input ended, wanted a line that gives the next turn",
                )
            self.assertEqual(self.files(), [])

    def test_ctrl_c_during_a_wait_leaves_the_steps_so_far(self):
        for given, steps in ((0, 0), (1, 3), (3, 7)):
            with self.paced() as process:
                for _ in range(given):
                    self.next_turn(process)
                    self.give(process)
                self.next_turn(process)
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(timeout=60), 130)
            result = self.result("r.json")
            self.assertFalse(result["context"]["complete"])
            one, two = result["benchmarks"]
            self.assertEqual(len(one["samples"]["step_ms"]), steps)
            self.assertEqual(len(one["samples"]["step_cpu_ms"]), steps)
            self.assertEqual(two["samples"]["step_ms"], [])
            os.remove(self.path("r.json"))

    def test_step_times_need_no_turns(self):
        run = self.run_scaling(
            "--epochs=2", "--steps=3", "--replicas=1", "--step_times", "--json=r.json", "--report=none"
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotRegex(run.stdout, "(?m)^turn ")
        [entry] = self.result("r.json")["benchmarks"]
        self.assertEqual(len(entry["samples"]["step_ms"]), 6)
        self.assertEqual(len(entry["samples"]["step_cpu_ms"]), 6)

    def planted(self, *arguments):
        """(step_ms, step_cpu_ms), each a minimum of the steps, at one and at two replicas."""
        run = self.run_scaling(*SHORT, "--step_times", *arguments, data=None)
        self.assertEqual(run.returncode, 0, run.stderr)
        return [
            (min(entry["samples"]["step_ms"]), min(entry["samples"]["step_cpu_ms"]))
            for entry in self.result("r.json")["benchmarks"]
        ]

    def test_planted_work_is_cpu_time_of_the_chosen_replicas(self):
        (_, cpu_of_one), (wall, cpu) = self.planted("--plant_work_us=40000", "--plant_at_replicas=2")
        self.assertGreaterEqual(cpu, 40)
        self.assertGreaterEqual(wall, 39.9)  # two clocks
        self.assertLess(cpu_of_one, cpu - 39)
        self.assertEqual(
            self.result("r.json")["context"]["options"]["planted"],
            {"work_us": 40000, "work_percent": 0, "wait_us": 0, "at_replicas": 2},
        )

    def test_a_planted_share_grows_with_the_step(self):
        (_, cpu_of_one), (_, cpu) = self.planted("--plant_work_percent=300", "--plant_at_replicas=2")
        self.assertGreaterEqual(cpu, 3 * cpu_of_one)

    def test_a_planted_wait_is_wall_time_alone(self):
        for wall, cpu in self.planted("--plant_wait_us=100000"):
            self.assertGreaterEqual(wall, 100)
            self.assertLess(cpu, wall)

    def test_without_them_steps_are_left_out(self):
        run = self.run_scaling("--epochs=1", "--steps=2", "--replicas=1", "--json=r.json", "--report=none")
        self.assertEqual(run.returncode, 0, run.stderr)
        [entry] = self.result("r.json")["benchmarks"]
        self.assertEqual(sorted(entry["samples"]), ["items_per_second", "steps_per_block"])
        self.assertNotIn("pace", self.result("r.json")["context"]["options"])


if __name__ == "__main__":
    xml_unittest.main()
