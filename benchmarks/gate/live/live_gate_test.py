"""The gate and its calibrations as a user starts them, on a program that says what it likes about its steps."""

import contextlib
import functools
import json
import os
import shlex
import signal
import subprocess
import time
from unittest import mock

from benchmarks.gate.gate_testing import PYTHON, LiveGateCase, program
from benchmarks.gate.live import calibrate, session
from tools import xml_unittest

GATE = os.path.abspath("benchmarks/gate/gate")


class LiveGateTest(LiveGateCase):
    def test_fires_at_a_slowdown_and_only_then(self):
        slow = self.gate("--record=r.json", "--seed=5", candidate=("--slower=6",))
        self.assertEqual((slow.returncode, slow.stderr), (1, ""))
        self.assertRegex(slow.stdout, r"Train/a +cpu +\+6\.0 % \[\+6\.0, \+6\.0\] .*REGRESSION")
        self.assertEqual(len(self.recorded().recordings), 4)
        same = self.gate()
        self.assertEqual(same.returncode, 0, same.stderr)
        self.assertIn("(A/A)", same.stdout)
        self.assertRegex(same.stderr, r"^seed \d+\n$")

    def test_an_improvement_passes(self):
        self.assertEqual(self.gate(candidate=("--slower=-10",)).returncode, 0)

    def test_what_was_recorded_is_judged_again_with_the_same_bytes(self):
        first = self.gate("--record=r.json", "--delta=5%", "--metrics=cpu", "--seed=7", candidate=("--slower=8",))
        again = self.run_gate("--judge=r.json")
        self.assertEqual((again.stdout, again.returncode), (first.stdout, first.returncode))
        self.assertIn("delta 5 %", first.stdout)
        self.assertEqual((self.recorded().seed, self.recorded().delta, self.recorded().metrics), (7, 0.05, ("cpu",)))

    def test_a_real_slowdown_of_real_work_under_load(self):
        # 1 ms of CPU time in each step, half as much again in the slower one's.
        work = "--work_us=1000"
        with self.load():
            slow = self.gate("--metrics=cpu", baseline=(work,), candidate=(work, "--slower=50"))
            same = self.gate("--metrics=cpu", "--delta=20", baseline=(work,), candidate=(work, "--seed=42"))
        self.assertEqual((slow.returncode, same.returncode), (1, 0), slow.stdout + same.stdout)
        self.assertRegex(slow.stdout, r"Train/a +cpu +\+(4|5)\d\.\d %")

    @contextlib.contextmanager
    def load(self):
        """A process for each core that does nothing but keep it busy."""
        busy = [subprocess.Popen([*PYTHON, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
        try:
            yield
        finally:
            for process in busy:
                process.kill()
                process.wait()

    def test_programs_that_take_no_turns_run_whole(self):
        work = "--whole_work_ms=50"  # beside which starting Python does not count for much
        ran = self.gate(
            "--record=r.json",
            "--seed=1",
            "--looks=4,6",
            "--delta=50",
            "--metrics=cpu",
            baseline=(work,),
            candidate=(work, "--old", "--slower=50"),
        )
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stderr, r"^the candidate seems to know no --pace \(.*--pace=15\): whole processes instead")
        self.assertRegex(ran.stdout, r"process +cpu ")
        steps = self.gate("--record=s.json", "--seed=1", "--looks=4,6", candidate=("--unpaced", "--slower=50"))
        self.assertEqual(steps.returncode, 1)
        self.assertRegex(steps.stdout, r"Train/a +cpu +\+50\.0 %")
        for name in ("r.json", "s.json"):
            self.assertEqual(self.recorded(name).method, "fresh")
            self.assertEqual(self.run_gate(f"--judge={name}").stdout, (ran if name == "r.json" else steps).stdout)

    def test_benchmarks_of_another_program(self):
        words = [shlex.join(self.program(*slower)) for slower in ((), ("--slower=7",))]
        ran = self.run_gate(
            f"--baseline={words[0]}",
            f"--candidate={words[1]}",
            "--arguments=",
            "--entry=Sort",
            "--looks=2,3",
            "--seed=1",
            "--record=r.json",
        )
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertRegex(ran.stdout, r"Sort/1000 +cpu +\+7\.0 %")
        self.assertNotIn("Copy", ran.stdout)
        taken = self.recorded()
        self.assertEqual((taken.method, taken.entry, taken.cpu_field), ("benchmark", "Sort", "cpu_time"))

    def write_result(self, name, *words):
        subprocess.run(
            [*program("--step_times", f"--json={self.path(name)}", *words)],
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=60,
        )

    def test_against_a_stored_result_there_is_at_most_a_suspicion(self):
        self.write_result("old.json")
        for slower, message in (
            (("--slower=20",), "suspect, confirm with both binaries"),
            ((), "nothing was interleaved, so it proves nothing"),
        ):
            candidate = shlex.join(self.program(*slower))
            ran = self.run_gate(
                "--baseline=old.json", f"--candidate={candidate}", "--arguments=", "--seed=1", "--record=r.json"
            )
            self.assertEqual(ran.returncode, 3, ran.stderr)
            self.assertIn(f"Undecided: {message} (exit status 3)", ran.stdout)
            self.assertRegex(ran.stdout, f"Train/a +cpu .* UNDECIDED: {message}")
            self.assertEqual(self.run_gate("--judge=r.json").stdout, ran.stdout)
            self.assertEqual((self.recorded().method, len(self.recorded().recordings)), ("stored", 4))

    def test_a_stored_result_of_another_run_is_refused(self):
        self.write_result("seed.json", "--seed=43")
        self.write_result("no_steps.json", "--result=no_steps")
        candidate = f"--candidate={shlex.join(self.program())}"
        for name, message in (
            ("seed.json", "seed of Train/a: baseline 43, candidate 42"),
            ("no_steps.json", "[baseline] has no times of steps"),
        ):
            ran = self.run_gate(f"--baseline={name}", candidate, "--arguments=", "--seed=1")
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertIn(message, ran.stderr)

    def test_a_gate_is_not_repeated_until_it_passes(self):
        sides = {"candidate": ("--slower=2",)}
        # Its time is over in the third recording, and the first look is at four.
        clock = mock.Mock(side_effect=lambda: 1e6 if len(self.groups()) >= 6 else 0.0)
        with mock.patch.object(session, "Budget", functools.partial(session.Budget, clock=clock)):
            first = self.gate("--record=r.json", "--seed=1", "--metrics=cpu", "--budget=4", **sides)
        before = self.recorded()
        self.assertEqual((first.returncode, before.stopped, len(before.recordings)), (3, "budget", 2))
        refused = self.gate("--record=r.json", "--seed=2", **sides)
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn(f"holds {len(before.recordings)} recordings of these two programs", refused.stderr)
        self.assertEqual(self.recorded(), before)
        again = self.gate("--record=r.json", "--again", **sides)
        self.assertEqual(again.returncode, 0, again.stderr)
        after = self.recorded()
        self.assertEqual(after.recordings[: len(before.recordings)], before.recordings)
        self.assertEqual((after.seed, after.metrics, after.stopped), (1, ("cpu",), ""))
        for options in (("--again",), ()):
            self.assertEqual(self.gate("--record=r.json", *options, **sides).returncode, 2)
        # Another program is another gate.
        self.assertEqual(self.gate("--record=r.json", "--seed=1", candidate=("--slower=20",)).returncode, 1)

    def test_sides_that_cannot_be_compared_exit_2(self):
        for words, message in (
            (("--entries=Train/b",), "entries: "),
            (("--seed=43",), "seed of Train/a: "),
            (("--images=full",), "data.source: "),
        ):
            ran = self.gate(candidate=words)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertIn(f"[compare] {message}", ran.stderr)

    def test_a_run_that_fails_exits_2_on_either_side(self):
        for side in ("baseline", "candidate"):
            for words, message in (
                (("--misbehave=signal",), "was killed by SIGSEGV in turn 2"),
                (("--result=incomplete",), "wrote an incomplete result"),
            ):
                ran = self.gate("--seed=1", **{side: words})
                self.assertEqual((ran.returncode, ran.stdout), (2, ""))
                self.assertTrue(ran.stderr.startswith(f"[{side}] {message}"), ran.stderr)

    def test_a_program_that_hangs_takes_no_more_than_the_budget(self):
        ran = self.gate("--budget=2", candidate=("--misbehave=hang",))
        self.assertEqual(ran.returncode, 3, ran.stderr)
        self.assertIn("undecided", ran.stdout.lower())

    def test_ctrl_c_leaves_the_recordings_and_nothing_else(self):
        slow = ("--misbehave=slow",)
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen(
                [GATE, *self.words("--record=i.json", "--seed=1", baseline=slow, candidate=slow)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            ) as process:
                before = len(self.groups())
                self.wait_for(lambda: len(self.groups()) >= before + 4)  # a recording is whole, the next one has begun
                process.send_signal(number)
                out, error = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (128 + number, ""), error)
            self.assertIn(f"stopped by {number.name}", error)
            self.assertEqual(self.recorded("i.json").stopped, "interrupted")
            self.assertGreaterEqual(len(self.recorded("i.json").recordings), 1)
            self.assertEqual(os.listdir(self.path("tmp")), [])
            os.remove(self.path("i.json"))

    def test_programs_end_when_the_gate_is_killed(self):
        with subprocess.Popen([GATE, *self.words()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            self.wait_for(lambda: len(self.groups()) >= 2)
            process.kill()
        # That no process is left is looked at after every test.

    def wait_for(self, condition):
        limit = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.02)

    def test_files_that_cannot_be_written_are_reported_before_anything_starts(self):
        ran = self.gate("--record=no/such/r.json")
        self.assertEqual((ran.returncode, self.groups()), (2, []))
        self.assertIn("No such file or directory", ran.stderr)

    def test_the_record_is_json_with_the_machine(self):
        self.gate("--record=r.json", "--seed=3", "--turn=5", "--warmup=10", "--looks=2,3")
        content = json.loads(self.read("r.json"))
        self.assertEqual(content["machine"]["compiler"], "example 1.0")
        self.assertEqual(content["schedule"], {"turn": 5, "warmup": 10, "behind_switch": 2, "looks": [2, 3]})
        self.assertEqual(len(content["recordings"]), 2)
        self.assertRegex(content["baseline"]["program"], r"^[0-9a-f]{64}$")


class LiveCalibrationTest(LiveGateCase):
    def setUp(self):
        super().setUp()
        fewer = mock.patch.object(calibrate, "GATES", 100)
        fewer.start()
        self.addCleanup(fewer.stop)

    def calibrate(self, *options, words=()):
        return self.run_gate(
            "--calibrate",
            f"--baseline={shlex.join(self.program(*words))}",
            "--arguments=",
            "--looks=4,6",
            "--seed=3",
            *options,
        )

    def kept(self):
        folder = self.path("cache/lockstep")
        return [os.path.join(folder, name) for name in os.listdir(folder)] if os.path.exists(folder) else []

    def test_a_calibration_says_what_gates_here_find_and_later_gates_use_it(self):
        one = "--entries=Train/replicas:1"
        ran = self.calibrate("--record=c.json", words=(one + ",Train/replicas:2",))
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertRegex(ran.stdout, r"^6 recordings of a program against itself in \d+ s; ")
        self.assertRegex(ran.stdout, r"Train/replicas:1  cpu   0\.0 % +3 %\n")
        self.assertRegex(ran.stdout, r"Train/replicas:1  wall  not measured: fewer than 4 quiet recordings  3 %\n")
        self.assertRegex(ran.stdout, r"\nnothing +0\.0 +0\.0 +100\.0 +0\.0 +0\n")
        self.assertRegex(ran.stdout, r"\ntwice delta +100\.0 +0\.0 +0\.0 +0\.0 +0\n")
        for replicas in (1, 2):
            self.assertIn(
                f"Planted 240 us, 6 % of a step of Train/replicas:{replicas}: REGRESSION, "
                "+6.0 % [+6.0, +6.0] at 4 recordings",
                ran.stdout,
            )
        [path] = self.kept()
        self.assertIn(f"Kept in {path}: gates on this machine use it.", ran.stdout)
        self.assertEqual(len(self.recorded("c.json").recordings), 6)
        # As if this machine had been noisy.
        self.noisier(path, 0.04)
        gate = self.gate("--looks=4,6", "--record=r.json", "--seed=1", baseline=(one,), candidate=(one, "--slower=7"))
        self.assertEqual(gate.returncode, 0, gate.stdout)
        self.assertIn("delta 8.33 % (raised)", gate.stdout)
        self.assertIn("half-widths here: 4.1 to 4.1 % in CPU time", gate.stdout)
        self.assertEqual(self.run_gate("--judge=r.json").stdout, gate.stdout)

    def noisier(self, path, half_width):
        content = json.loads(self.read(path))
        for each in content["half_widths"]:
            each["half_width"] = half_width
        self.write(path, json.dumps(content))

    def test_a_calibration_that_cannot_be_used_is_reported_and_can_be_done_without(self):
        self.calibrate("--calibration=c.json")
        self.assertEqual(self.kept(), [])
        content = json.loads(self.read("c.json"))
        self.write("other.json", json.dumps({**content, "machine": {**content["machine"], "cores": 999}}))
        self.write("broken.json", '{"format": 1')
        looks = "--looks=4,6"
        for options, message in (
            ((looks, "--calibration=other.json"), "another machine: cores 999; wanted "),
            ((looks, "--calibration=broken.json"), "--calibrate replaces it, --calibration=none"),
            ((looks, "--calibration=no/such.json"), "No such file"),
            (("--calibration=c.json",), "calibration of another schedule"),
        ):
            ran = self.gate(*options)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertIn(message, ran.stderr)
        self.assertEqual(self.gate(looks, "--calibration=c.json").returncode, 0)
        # The user's own is found by what it is of, and a broken one is not passed over.
        self.calibrate()
        [path] = self.kept()
        self.write(path, "{")
        self.assertIn(path, self.gate(looks).stderr)
        self.assertEqual(self.gate(looks, "--calibration=none").returncode, 0)
        self.assertEqual(self.gate("--looks=4,7").returncode, 0)  # another schedule, another file
        self.assertEqual(self.calibrate().returncode, 0)
        self.assertEqual(self.gate(looks).returncode, 0)

    def test_a_program_that_plants_nothing_is_calibrated_without(self):
        ran = self.calibrate("--calibration=none", words=("--unplanted", "--entries=Train/replicas:1"))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("seems to know no --plant_work_us", ran.stderr)
        self.assertTrue(ran.stdout.endswith("Not kept.\n"))
        self.assertEqual(self.kept(), [])

    def test_a_calibration_needs_its_time(self):
        ran = self.calibrate("--budget=2", words=("--misbehave=slow",))
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertRegex(ran.stderr, r"\[calibrate\] [01] recordings in the 2 s of the budget; wanted 6")


if __name__ == "__main__":
    xml_unittest.main()
