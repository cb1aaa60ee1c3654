"""What a round finds wrong, by workers that do it; and that it finds nothing where nothing is."""

import contextlib
import dataclasses
import io
import os
import re
import select
import sys
import tempfile
import unittest

from benchmarks.faults import fault_options, fault_round, faults
from benchmarks.faults.worker_process import WorkerProcess
from benchmarks.gate.process.budget import Budget
from tools import xml_unittest

FAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake_worker_testing.py")
# Seconds until a worker that waits forever is ended; of all others, which end before, on a busy machine too.
WAITED, LIMIT = 1.0, 60.0
# Seconds without a byte after which a worker takes another one for dead; a right one answers in milliseconds.
TIMEOUT = 2.0


def conditions_of(bad="", limit=LIMIT):
    """Of runs without a fault. Errors: faults.CannotRun."""
    # As an implementation whose errors are RuntimeError.
    options = fault_options.parse(
        [
            "--implementation=pytorch",
            f"--worker={command(bad)}",
            "--workers=2",
            f"--timeout={TIMEOUT}",
            f"--limit={limit}",
            "--after=step",
        ]
    )
    return faults.prepare("pytorch", options, Budget(float("inf")))


def command(bad):
    return f"{sys.executable} -I -S {FAKE} --bad={bad}"


class FaultRoundTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.right = conditions_of()

    def round(self, bad="", fault="killed", limit=LIMIT):
        """The outcome where worker 1 of 2 gets a fault after the 15th of 24 steps, and its problems as text."""
        words = command(bad).split()
        conditions = dataclasses.replace(
            self.right, limit=limit, command=lambda *job: [*words, *self.right.command(*job)[len(words) :]]
        )
        outcome = fault_round.run(fault_round.Plan(1, fault, 2, 1, 2, 0.6, "step"), conditions)
        return outcome, "\n".join(outcome.problems)

    def expect(self, bad, pattern):
        _, problems = self.round(bad)
        self.assertRegex(problems, re.compile(pattern, re.MULTILINE))

    def test_nothing_is_wrong_with_workers_that_do_nothing_wrong(self):
        for fault in ("killed", "stopped", "cut_off", "slowed"):
            with self.subTest(fault):
                outcome, problems = self.round(fault=fault)
                self.assertEqual(problems, "")
                self.assertEqual(outcome.phase, "steps")
                if fault == "slowed":
                    continue  # it may get through
                self.assertGreater(outcome.resumed, outcome.starting)
                if fault == "killed":  # a checkpoint is of every fourth step, which may not be on disk yet
                    self.assertIn(outcome.steps_lost, range(5))
                else:  # by the worker's own limit
                    self.assertGreater(outcome.detected, TIMEOUT / 2)

    def test_a_worker_that_waits_for_a_dead_one_is_ended(self):
        outcome, problems = self.round("waits", limit=WAITED)
        self.assertRegex(problems, r"worker 0 of 2: it hung: it had not ended 1\.\d s after the fault")
        self.assertTrue(outcome.hung)
        self.assertIsNone(outcome.detected)

    def test_the_wrong_end(self):
        self.expect("aborts", r"^\[faulted\] worker 0 of 2: signal 9 ended it$")
        self.expect("blames", r"^\[faulted\] worker 0 of 2: it ended with Internal, wanted RuntimeError or")
        self.expect("babbles", r"it said 'joined!', which is no event")

    def test_wrong_numbers_after_a_restart(self):
        self.expect("wrong_loss", r"^\[restarted\] worker 0 of 2: step 24 had a loss of 13\.0, wanted 12\.0$")
        self.expect("wrong_weights", r"its last weights differ: \[0, 2\.0\], wanted \[0, 1\.0\]")
        self.expect("skips", r"step \d+ came after step \d+")

    def test_checkpoints_that_are_torn_or_not_there(self):
        self.expect(
            "torn", r"^\[restarted\] worker 0 of 2: it ended with RuntimeError, wanted status 0: .*JSONDecodeError"
        )
        self.expect("forgets", r"it went on from step 0, the latest checkpoint is of step \d+")
        self.expect("leaves_file", r"^\[checkpoints\] checkpoint\.pt\.old is left$")

    def test_what_is_left_of_processes_and_ports(self):
        self.expect("leaves_process", r"^\[faulted\] process \d+ is left$")
        self.expect("leaves_port", r"^\[faulted\] a process still listens at port \d+$")

    def test_who_leaves_before_the_end_is_found_before_any_round(self):
        with self.assertRaisesRegex(faults.CannotRun, r"2 workers do not get through"):
            conditions_of("leaves_early")

    def test_what_is_left_where_nothing_had_a_fault_is_found_before_any_round(self):
        with self.assertRaisesRegex(faults.CannotRun, r"process \d+ is left"):
            conditions_of("leaves_process")

    def test_a_plan_depends_on_its_number_and_the_seed_alone(self):
        draw = fault_round.draw
        self.assertEqual(draw(7, 1, ["killed", "stopped"], [2, 3]), draw(7, 1, ["killed", "stopped"], [2, 3]))
        plans = [draw(number, 1, ["killed", "stopped"], [2, 3]) for number in range(200)]
        self.assertEqual({plan.fault for plan in plans}, {"killed", "stopped"})
        self.assertEqual({(plan.workers, plan.target) for plan in plans}, {(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)})
        self.assertAlmostEqual(sum(plan.moment for plan in plans) / 200, 0.5, delta=0.1)


class FaultOptionsTest(unittest.TestCase):
    def test_an_unknown_word_is_reported_with_the_known_ones(self):
        for word, wanted in (
            ("--faults=burnt", "killed, stopped"),
            ("--implementation=none", "lockstep, tensorflow"),
            ("--workers=1", "from 2 on"),
            ("--workers=2,17", "16 workers at most"),
            ("--timeout=-1", "0 to 9999"),
            ("--seed=x", "whole number"),
        ):
            with self.subTest(word), contextlib.redirect_stderr(io.StringIO()) as printed:
                self.assertRaises(SystemExit, fault_options.parse, [word])
                self.assertIn(wanted, printed.getvalue())


class WorkerProcessTest(unittest.TestCase):
    def test_lines_that_are_no_events_are_kept_as_garbage(self):
        lines = ["[" * 100_000, '{"event": "step", "time": NaN}', '{"event": "step"}', "Epoch 1/10"]
        program = f'print(*{lines!r}, \'{{"event": "step", "time": 1.5}}\', sep="\\n")'
        folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        worker = WorkerProcess([sys.executable, "-I", "-S", "-c", program], {}, os.path.join(folder, "log"))
        try:
            while worker.running:
                worker.read(select.select(worker.files(), [], [])[0])
        finally:
            worker.kill()
        self.assertEqual(worker.garbage, lines)
        self.assertEqual(worker.last("step"), {"event": "step", "time": 1.5})


if __name__ == "__main__":
    xml_unittest.main()
