"""One side: a process that takes turns, and every way in which one does not, after which none is left
(gate_testing.py); and its result: which are taken, and which two are not compared."""

import copy
import json
import os
import select
import signal
import time
import unittest

from benchmarks.gate.gate_testing import FolderTest, ProcessTest, running
from benchmarks.gate.live import side_result
from benchmarks.gate.live.side import (
    Deadlines,
    PacedProcess,
    ProtocolError,
    ResultError,
    SideCrashed,
    SideSilent,
    UnknownOption,
)
from benchmarks.gate.live.side_result import ResultFile, SideResult
from benchmarks.gate.process.budget import Budget, BudgetSpent, Interrupted, Interruption
from benchmarks.gate.process.child_process import LARGEST_LOG
from benchmarks.gate.recording import GateError, Steps
from tools import xml_unittest

# Far above what the program takes on a busy machine, unless it misbehaves.
ENOUGH = Deadlines(start=30, turn=30, end=30, grace=0.2)
# For one that misbehaves in its first turn: no right turn has to be as short on a busy machine.
SHORT = Deadlines(start=30, turn=0.3, end=30, grace=0.2)
SHORT_END = Deadlines(start=30, turn=30, end=0.3, grace=0.2)

RESULT = {
    "context": {
        "complete": True,
        "compiler": "g++ 12",
        "commit": "a1",
        "load_avg": [1.0],
        "workload": "cnn",
        "data": {"source": "embedded", "train_images": 10, "description": "images"},
        "options": {"seed": 42, "steps": 3, "threads": 2},
    },
    "benchmarks": [
        {
            "name": "Train/a",
            "replicas": 1,
            "threads_per_replica": 2,
            "seed": 42,
            "images_per_second": 7.0,
            "samples": {"step_ms": [3.0, 2.0, 2.5], "step_cpu_ms": [4.0, 4.5, 4.25]},
        }
    ],
}
COMMAND = ("train", "--fast")


class PacedProcessTest(ProcessTest):
    def start(self, *arguments, command=None, deadlines=ENOUGH, budget=None):
        words = command or self.program("--pace=15", *arguments)
        return PacedProcess("candidate", words, self.path("stderr"), budget or Budget(60), deadlines)

    def turns(self, process):
        """CPU seconds of all its turns."""
        with process:
            process.wait_until_ready()
            found = []
            while (spent := process.take_turn()) is not None:
                found.append(spent)
            return found

    def assert_fails(self, kind, words, *arguments, deadlines=ENOUGH, **options):
        with self.assertRaisesRegex(kind, words) as caught:
            self.turns(self.start(*arguments, deadlines=deadlines, **options))
        self.assertEqual(caught.exception.side, "candidate")
        self.assertRegex(str(caught.exception), r"^\[candidate\] ")
        return caught.exception

    def test_takes_its_turns_and_ends(self):
        found = self.turns(self.start("--steps=60", "--entries=a,b"))
        self.assertEqual(len(found), 8)
        for spent in found:
            self.assertAlmostEqual(spent, 15 * 0.004, places=9)

    def test_does_nothing_between_its_turns(self):
        with self.start() as process:
            process.wait_until_ready()
            process.take_turn()
            time.sleep(0.1)  # what it prints without having been asked would be its second turn
            self.assertEqual(select.select([process.stdout], [], [], 0)[0], [])
            self.assertAlmostEqual(process.take_turn(), 15 * 0.004, places=9)

    def test_a_crash_is_reported_with_status_turn_and_last_lines(self):
        error = self.assert_fails(
            SideCrashed, r"ended with exit status 3 in turn 2: .*--misbehave=exit", "--misbehave=exit"
        )
        self.assertEqual(error.last_lines, ("now it does exit",))
        self.assertTrue(str(error).endswith("\n  now it does exit"))
        self.assert_fails(SideCrashed, "was killed by SIGSEGV in turn 2", "--misbehave=signal")
        self.assert_fails(SideCrashed, "exit status 3 before its first turn", "--misbehave=exit", "--in_turn=0")

    def test_a_program_that_is_not_there_does_not_start(self):
        self.assert_fails(
            SideCrashed,
            r"does not start \(No such file or directory\): /no/such --pace",
            command=("/no/such", "--pace=15"),
        )

    def test_an_unknown_option_is_another_error_than_a_crash(self):
        error = self.assert_fails(UnknownOption, "ended with exit status 2 before its first turn", "--old")
        self.assertIn("unrecognized arguments: --pace=15", error.last_lines[-1])

    def test_who_does_not_answer_is_not_waited_for(self):
        for how in ("hang", "hang_on"):
            self.assert_fails(
                SideSilent, "gave no sign within 0.3 s in turn 1", f"--misbehave={how}", "--in_turn=1", deadlines=SHORT
            )
        self.assert_fails(
            SideSilent,
            "gave no sign within 2 s before its first turn",
            "--misbehave=hang",
            "--in_turn=0",
            deadlines=Deadlines(start=2, grace=0.2),
        )
        self.assert_fails(
            SideSilent,
            "closed its output and did not end within 0.3 s in turn 2",
            "--misbehave=close_output",
            deadlines=SHORT_END,
        )

    def test_what_it_starts_is_ended_too(self):
        self.assertEqual(len(self.turns(self.start("--misbehave=stray"))), 4)

    def test_a_daemon_that_it_starts_is_ended_too(self):
        self.turns(self.start("--misbehave=daemon"))
        number = int(self.read("stderr").split()[-1])
        self.assertEqual(running([number]), [])  # it leads a group of its own

    def test_stderr_without_end_is_refused_before_it_fills_the_disk(self):
        self.assert_fails(ProtocolError, r"wrote more than \d+ bytes to stderr", "--misbehave=flood")
        self.assertLess(os.path.getsize(self.path("stderr")), 50 * LARGEST_LOG)

    def test_its_last_words_may_be_gone(self):
        with self.start("--misbehave=exit", "--in_turn=1") as process:
            process.wait_until_ready()
            os.remove(self.path("stderr"))
            with self.assertRaisesRegex(SideCrashed, "exit status 3 in turn 1"):
                process.take_turn()

    def test_a_program_that_does_not_take_turns_is_reported(self):
        self.assert_fails(
            ProtocolError,
            "without a `turn` line. A program that takes no turns must exit with 2 on --pace; see docs/formats.md, ",
            command=self.program(),
        )
        self.assert_fails(
            ProtocolError, r"printed 'turn about'; wanted `turn` and its CPU seconds", "--misbehave=bad_line"
        )
        self.assert_fails(ProtocolError, r"printed 'turn 0.0'; wanted .* at least 0.06", "--misbehave=backwards")
        self.assert_fails(ProtocolError, r"printed \d+ bytes without a line end", "--misbehave=babble")

    def test_a_program_that_prints_without_end_does_not_hold_up_the_gate(self):
        self.assert_fails(
            SideSilent, "before its first turn", command=("yes",), deadlines=Deadlines(start=0.3, grace=0.2)
        )

    def test_its_time_ends_with_the_gates(self):
        with self.assertRaises(BudgetSpent):
            self.turns(self.start("--misbehave=hang", budget=Budget(1)))

    def test_a_signal_ends_the_wait(self):
        before = signal.getsignal(signal.SIGTERM)
        with Interruption() as interruption, self.start(budget=Budget(60, interruption)) as process:
            process.wait_until_ready()
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGINT)  # the first one counts
            with self.assertRaisesRegex(Interrupted, "SIGTERM") as caught:
                process.take_turn()
        self.assertEqual(caught.exception.exit_status, 143)
        self.assertEqual(signal.getsignal(signal.SIGTERM), before)


def changed(path, value):
    """RESULT with another value at a path of keys; None: without it."""
    result = copy.deepcopy(RESULT)
    place = result
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return result


class SideResultTest(FolderTest):
    def load(self, content):
        path = self.write("result.json", content if isinstance(content, str) else json.dumps(content))
        return side_result.load(ResultFile(path, "candidate", COMMAND, ("last words",)))

    def refused(self, content, words):
        with self.assertRaisesRegex(ResultError, words) as caught:
            self.load(content)
        self.assertEqual(caught.exception.side, "candidate")
        self.assertTrue(str(caught.exception).endswith(": train --fast\n  last words"))

    def test_times_of_steps_are_read_in_order(self):
        result = self.load(RESULT)
        self.assertEqual(result.steps, {"Train/a": Steps((4.0, 4.5, 4.25), (3.0, 2.0, 2.5))})
        self.assertEqual(result.compiler, "g++ 12")
        side_result.check_steps(result, "candidate", COMMAND)

    def test_a_result_without_them_is_reported_only_where_they_are_needed(self):
        for path in (("benchmarks", 0, "samples"), ("benchmarks", 0, "samples", "step_cpu_ms")):
            result = self.load(changed(path, None))
            self.assertEqual(result.steps, {"Train/a": None})
            with self.assertRaisesRegex(ResultError, "has no times of steps of Train/a"):
                side_result.check_steps(result, "candidate", COMMAND)

    def test_a_file_that_was_there_is_not_said_to_be_written(self):
        file = ResultFile(self.write("b.json", "{}"), "baseline", ("b.json",), is_stored=True)
        with self.assertRaisesRegex(ResultError, r"^\[baseline\] is no result \(.*: b.json$"):
            side_result.load(file)

    def test_what_is_no_whole_result_is_refused(self):
        self.refused("", "wrote no result")
        self.refused('{"context": {', "wrote no result")
        self.refused({"context": {}}, "wrote no result .*'benchmarks' is a required")
        self.refused({"context": {}, "benchmarks": []}, "wrote no result")
        self.refused(changed(("benchmarks", 0, "samples", "step_ms"), ["quick"]), "wrote no result")
        self.refused(changed(("context", "complete"), False), "wrote an incomplete result")
        self.refused(changed(("benchmarks",), RESULT["benchmarks"] * 2), "wrote an entry twice")
        for times, words in (
            ("[NaN]", "NaN is not JSON"),
            ("[1e308]", "the number 1e308 is no figure"),
            ("[1" + "0" * 400 + "]", "no double holds"),
            ("[" * 100_000, "nested deeper than 200"),
        ):
            self.refused(
                json.dumps(changed(("benchmarks", 0, "samples", "step_ms"), "TIMES")).replace('"TIMES"', times)
                if times[-1] == "]"
                else times,
                words,
            )
        with self.assertRaisesRegex(ResultError, r"wrote no result \(there is none\): train --fast"):
            side_result.load(ResultFile("/no/such.json", "candidate", COMMAND))

    def test_a_file_that_is_none_is_not_waited_for(self):
        pipe, huge, zeros = map(self.path, ("pipe", "huge", "zeros"))
        os.mkfifo(pipe)
        os.symlink("/dev/zero", zeros)
        with open(huge, "wb") as file:
            file.truncate(side_result.LARGEST_FILE + 1)
        for path, words in (
            (pipe, "the file is no regular one"),
            (zeros, "the file is no regular one"),
            (huge, "wrote a result of 67108865 bytes; wanted at most 67108864"),
        ):
            with self.assertRaisesRegex(ResultError, words):
                side_result.load(ResultFile(path, "candidate", COMMAND))

    def compare(self, content):
        side_result.check_same(self.load(RESULT), self.load(content))

    def test_results_of_two_machines_are_refused(self):
        for name, value in (("cpu_model", "A CPU"), ("num_cpus", 128), ("gpu", "A GPU"), ("gpus", ["A GPU"])):
            here, there = changed(("context", name), 1), changed(("context", name), value)
            with self.assertRaisesRegex(GateError, f"{name}: baseline 1, candidate .*; wanted the same"):
                side_result.check_same(self.load(here), self.load(there))

    def test_commits_and_measurements_may_differ(self):
        for path, value in (
            (("context", "commit"), "b2"),
            (("context", "load_avg"), [0.0]),
            (("context", "data", "description"), "pictures"),
            (("benchmarks", 0, "images_per_second"), 9.0),
        ):
            self.compare(changed(path, value))

    def test_planted_slowdowns_may_differ(self):
        baseline, candidate = (changed(("context", "options", "planted"), {"work_us": work}) for work in (10, 20))
        side_result.check_same(self.load(baseline), self.load(candidate))

    def test_a_setting_that_one_side_does_not_know_came_later(self):
        self.compare(changed(("context", "options", "threads"), None))
        self.compare(changed(("context", "workload"), None))

    def test_different_settings_are_refused_by_name_with_both_values(self):
        for path, value, words in (
            (("context", "options", "seed"), 43, r"options.seed: baseline 42, candidate 43; wanted the same"),
            (("context", "options", "steps"), 4, "options.steps: baseline 3, candidate 4"),
            (("context", "data", "source"), "full", "data.source: baseline 'embedded', candidate 'full'"),
            (("context", "data", "train_images"), 11, "data.train_images: baseline 10, candidate 11"),
            (("context", "workload"), "resnet50", "workload: baseline 'cnn', candidate 'resnet50'"),
            (("benchmarks", 0, "replicas"), 2, "replicas of Train/a: baseline 1, candidate 2"),
            (("benchmarks", 0, "threads_per_replica"), 1, "threads_per_replica of Train/a: baseline 2, "),
            (("benchmarks", 0, "seed"), 7, "seed of Train/a: baseline 42, candidate 7"),
            (("benchmarks", 0, "name"), "Train/b", r"entries: baseline \['Train/a'\], candidate \['Train/b'\]"),
            (
                ("benchmarks", 0, "samples"),
                {"step_ms": [1.0], "step_cpu_ms": [1.0]},
                "steps of Train/a: baseline 3, candidate 1",
            ),
        ):
            with self.subTest(path=path), self.assertRaisesRegex(GateError, r"^\[compare\] " + words):
                self.compare(changed(path, value))

    def test_blind_is_what_works_on_other_threads(self):
        result = SideResult({}, {"a": Steps((0.9,), (10.0,)), "b": Steps((1.1,), (10.0,))}, "")
        self.assertEqual(side_result.blind_benchmarks(result), ["a"])


def results(**seconds):
    """Of so many seconds in steps: half each in two entries."""
    half = {side: Steps((250 * value,) * 2, (1.0, 1.0)) for side, value in seconds.items()}
    return {side: SideResult({}, {"a": steps, "b": steps}, "") for side, steps in half.items()}


class CpuAccountTest(unittest.TestCase):
    def refused(self, words, steps, counted):
        with self.assertRaisesRegex(GateError, words):
            side_result.check_cpu_time(results(**steps), counted)

    def test_runs_that_tell_of_what_they_did_pass(self):
        for candidate, counted in ((4.0, 4.5), (4.4, 4.9), (0.4, 0.9), (8.0, 8.5), (4.0, 5.5), (4.9, 4.5)):
            side_result.check_cpu_time(
                results(baseline=4.0, candidate=candidate), {"baseline": 4.5, "candidate": counted}
            )

    def test_a_slowdown_outside_of_steps_is_refused(self):
        self.refused(
            r"outside of steps: baseline 0.50 s, candidate 2.50 s; wanted 1.62 s at most",
            {"baseline": 4.0, "candidate": 2.0},
            {"baseline": 4.5, "candidate": 4.5},
        )
        side_result.check_cpu_time(results(baseline=2.0, candidate=4.0), {"baseline": 4.5, "candidate": 4.5})

    def test_times_of_another_run_are_refused_on_either_side(self):
        for side, other in (("baseline", "candidate"), ("candidate", "baseline")):
            self.refused(
                f"the {side} reports 4.00 s of CPU time in its steps, and its process used 0.10 s",
                {side: 4.0, other: 4.0},
                {side: 0.1, other: 4.5},
            )

    def test_of_a_short_run_nothing_is_said(self):
        side_result.check_cpu_time(results(baseline=0.3, candidate=0.9), {"baseline": 0.02, "candidate": 0.02})
        side_result.check_cpu_time(results(baseline=0.3, candidate=0.0), {"baseline": 0.4, "candidate": 1.0})


if __name__ == "__main__":
    xml_unittest.main()
