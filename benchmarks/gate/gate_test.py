"""The program as a user starts it, its command line, and whether every pitfall of README.md has its tests."""

import ast
import contextlib
import io
import json
import os
import re
import subprocess
import tempfile
import unittest

from benchmarks.gate import gate, recording_file
from benchmarks.gate.gate_testing import LOADED, MACHINE, FolderTest, jittered, recordings
from benchmarks.gate.recording import Calibration
from tools import xml_unittest

PROGRAM = os.path.abspath("benchmarks/gate/gate")
BOTH = ("--baseline=a", "--candidate=b")
FOLDER = os.path.dirname(os.path.abspath(__file__))
ROW = re.compile(r"\| (\d+) \| ([^|]+) \| ([^|]+) \|")
NAME = re.compile(r"`(\w+)\.(\w+)`")
PITFALLS = 17


class GateTest(FolderTest):
    @classmethod
    def setUpClass(cls):
        cls.fonts = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))

    def judge(self, taken, calibration=None, *arguments):
        self.write("r.json", recording_file.to_text(taken, calibration))
        return self.run_gate("--judge=r.json", *arguments, BUILD_WORKING_DIRECTORY=self.folder)

    def run_gate(self, *arguments, **environment):
        return subprocess.run(
            [PROGRAM, *arguments],
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, "MPLCONFIGDIR": self.fonts, **environment},
        )

    def test_a_regression_exits_1_and_says_how_large(self):
        ran = self.judge(recordings(jittered(1.10, others=LOADED), seed=5))
        self.assertEqual((ran.returncode, ran.stderr), (1, ""))
        self.assertRegex(ran.stdout, r"^Train/a  cpu   \+10\.0 % \[\+\d\.\d, \+1\d\.\d\]  delta 3 %  REGRESSION\n")
        self.assertIn("Train/a  wall  NOT JUDGED: the machine was quiet in 0 of 4 recordings", ran.stdout)
        self.assertIn("Regression: Train/a takes 10.0 % more CPU time (exit status 1)", ran.stdout)

    def test_the_same_file_gives_the_same_bytes(self):
        taken = recordings(jittered(1.04))
        self.assertEqual(self.judge(taken).stdout, self.judge(taken).stdout)

    def test_fine_exits_0_and_names_what_it_would_have_seen(self):
        ran = self.judge(recordings(jittered(1.0)))
        self.assertEqual(ran.returncode, 0)
        self.assertIn("FINE: no slowdown of 6 % or more", ran.stdout)

    def test_undecided_exits_3(self):
        ran = self.judge(recordings(jittered(1.0, 3)))
        self.assertEqual(ran.returncode, 3)
        self.assertIn("3 recordings, the first look is at 4", ran.stdout)

    def test_the_requested_reports_are_written(self):
        ran = self.judge(recordings(jittered(1.1)), None, "--json=v.json", "--markdown=v.md", "--html=v.html")
        self.assertEqual((ran.returncode, ran.stderr), (1, ""))
        self.assertEqual(sorted(os.listdir(self.folder)), ["r.json", "v.html", "v.json", "v.md"])
        ran = self.judge(recordings(jittered(1.1)), None, "--json=-")
        self.assertEqual(json.loads(ran.stdout)["outcome"], "regression")

    def test_a_report_that_cannot_be_written_ends_it_before_the_work(self):
        ran = self.run_gate("--judge=/no/such.json", "--html=/no/such.html")
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("such.html", ran.stderr)

    def test_gates_add_to_a_history_that_can_be_shown_alone(self):
        self.judge(recordings(jittered(1.0)), None, "--history=h.jsonl")
        self.write("h.jsonl", self.read("h.jsonl") + "torn")
        arguments = "--judge=r.json", "--history=h.jsonl", "--html=v.html"
        self.write("r.json", recording_file.to_text(recordings(jittered(1.1), seed=1)))
        ran = self.run_gate(*arguments, "--note=float64 now", BUILD_WORKING_DIRECTORY=self.folder)
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stderr, r"^\[history\] .*h\.jsonl: skipped line 3: not JSON\n$")
        self.assertIn("Gates against this baseline", self.read("v.html"))
        ran = self.run_gate(
            "--history=h.jsonl", "--markdown=h.md", "--html=h.html", BUILD_WORKING_DIRECTORY=self.folder
        )
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertRegex(ran.stdout, r"^h\.jsonl: 2 gates, ")
        self.assertRegex(ran.stdout, r"\n  Train/a  cpu   \+10\.0 % \[.*\]  REGRESSION  b2 of ")
        self.assertIn("  float64 now\n", ran.stdout)
        self.assertTrue({"h.html", "h.md"} < set(os.listdir(self.folder)))

    def test_a_history_that_cannot_be_added_to_ends_it_before_the_work(self):
        for path in (os.path.dirname(self.fonts), "/no/such/history"):
            ran = self.run_gate("--judge=/no/such.json", f"--history={path}")
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertIn(path, ran.stderr)
        ran = self.run_gate("--history=/no/such/history")
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("[history] /no/such/history: No such file", ran.stderr)

    def test_what_cannot_be_judged_exits_2_with_one_line(self):
        other = Calibration({**MACHINE, "cores": 64}, {})
        for ran in (self.judge(recordings(jittered(1.0)), other), self.run_gate("--judge=/no/such.json")):
            self.assertEqual((ran.returncode, ran.stdout, ran.stderr.count("\n")), (2, "", 1))

    def test_usage_exits_2(self):
        self.assertEqual(self.run_gate().returncode, 2)
        self.assertEqual(self.run_gate("--help").returncode, 0)


class GateOptionsTest(unittest.TestCase):
    def refused(self, words, *arguments):
        with contextlib.redirect_stderr(io.StringIO()) as error, self.assertRaises(SystemExit) as ended:
            gate.parse(arguments)
        self.assertEqual(ended.exception.code, 2)
        self.assertIn(words, error.getvalue())

    def test_without_options_it_is_the_usual_gate(self):
        options = gate.parse(BOTH)
        self.assertEqual(
            (options.delta, options.metrics, options.require, options.budget, options.again),
            (None, None, None, 180.0, False),
        )

    def test_numbers_may_have_their_unit(self):
        options = gate.parse([*BOTH, "--delta=5%", "--budget=90s", "--looks=2,3,8"])
        self.assertEqual((options.delta, options.budget, options.looks), (0.05, 90.0, (2, 3, 8)))
        self.assertEqual(gate.parse([*BOTH, "--delta=0.5"]).delta, 0.005)

    def test_metrics_are_in_one_order(self):
        options = gate.parse([*BOTH, "--metrics=wall,cpu", "--require=wall"])
        self.assertEqual((options.metrics, options.require), (("cpu", "wall"), ("wall",)))

    def test_what_is_to_be_done_is_one_thing(self):
        self.refused("wanted --baseline, or --judge, or --history alone")
        self.refused("wanted --baseline, or --judge, or --history alone", "--candidate=a")
        self.refused("--judge judges a file; --record runs something", "--judge=a", "--record=b")
        self.refused("--judge judges a file; --baseline runs something", "--judge=a", "--baseline=b")
        self.refused("--again goes on with the recordings of --record", *BOTH, "--again")
        self.refused("unrecognized arguments: --bud=5", *BOTH, "--bud=5")

    def test_a_calibration_is_of_one_program(self):
        options = gate.parse(["--calibrate", "--baseline=a b"])
        self.assertEqual((options.candidate, options.budget), ("a b", 600.0))
        self.assertEqual(gate.parse(["--calibrate", "--baseline=a", "--budget=30"]).budget, 30.0)
        self.refused("--calibrate wanted --baseline", "--calibrate")
        for option in ("--candidate=b", "--judge=r", "--json=v", "--html=p", "--markdown=m", "--history=h"):
            self.refused(f"{option.split('=')[0]} is for a gate", "--calibrate", "--baseline=a", option)
        self.refused("--again continues a gate", "--calibrate", "--baseline=a", "--record=r", "--again")

    def test_a_history_alone_is_reported_and_not_added_to(self):
        self.assertTrue(gate.is_history(gate.parse(["--history=h", "--html=-"])))
        for kind in (BOTH, ["--judge=r"]):
            self.assertFalse(gate.is_history(gate.parse([*kind, "--history=h", "--note=accepted"])))
        self.refused("--json writes a verdict", "--history=h", "--json=v")
        self.refused("--record records a gate", "--history=h", "--record=r")
        self.refused("--note is a note in a --history", "--history=h", "--note=accepted")
        self.refused("--note is a note in a --history", *BOTH, "--note=accepted")
        self.refused("'-'; wanted the name of a file", *BOTH, "--history=-")

    def test_values_that_mean_nothing(self):
        for option in ("--delta=0", "--delta=51", "--delta=nan", "--delta=-1", "--delta=3 %"):
            self.refused("wanted a number from 0.1 to 50", *BOTH, option)
        for option in ("--budget=ever", "--budget=0", "--budget=inf"):
            self.refused("wanted a number from 1 to 86400", *BOTH, option)
        for option in ("--metrics=gpu", "--metrics=", "--require=cpu,gpu"):
            self.refused("wanted some of cpu,wall", *BOTH, option)
        for option in ("--looks=6,4", "--looks=1,4", "--looks=4,4", "--looks=", "--looks=4,x"):
            self.refused("wanted rising numbers from 2 on", *BOTH, option)
        for option in ("--turn=0", "--turn=1.5", "--turn=-3"):
            self.refused("wanted a whole number from 1 on", *BOTH, option)
        for label in ("", "benchmarks:scaling", "--output_base=x", "//a b", "//a:b:c"):
            self.refused("wanted the label of a program, as //benchmarks:scaling", *BOTH, f"--target={label}")
        for option in ("--baseline", "--candidate", "--judge", "--record", "--arguments"):
            self.refused(f"{option} has no value", *BOTH, f"{option}=--")
        self.refused("--require names a metric that --metrics leaves out", *BOTH, "--metrics=wall", "--require=cpu")

    def test_help_has_examples(self):
        with contextlib.redirect_stdout(io.StringIO()) as text, self.assertRaises(SystemExit) as ended:
            gate.parse(["--help"])
        self.assertEqual(ended.exception.code, 0)
        self.assertIn("./bazelw run //benchmarks:gate -- --baseline=", text.getvalue())


def rows():
    """(number, pitfall, [(file's stem, function)]) of the table."""
    with open(os.path.join(FOLDER, "README.md"), encoding="utf-8") as file:
        found = [ROW.fullmatch(line.strip()) for line in file]
    return [(int(row.group(1)), row.group(2), NAME.findall(row.group(3))) for row in found if row]


def functions():
    """(file's stem, function) of all Python files here and below."""
    found = set()
    for folder, _, names in os.walk(FOLDER):
        for name in names:
            if name.endswith(("_test.py", "_testing.py")):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    nodes = ast.walk(ast.parse(file.read()))
                found |= {(name[:-3], node.name) for node in nodes if isinstance(node, ast.FunctionDef)}
    return found


class PitfallsTest(unittest.TestCase):
    def test_every_pitfall_has_tests(self):
        self.assertEqual([number for number, _, _ in rows()], list(range(1, PITFALLS + 1)))
        for number, pitfall, tests in rows():
            self.assertTrue(tests, f"{number} {pitfall}")

    def test_the_tests_are_there(self):
        named = [test for _, _, tests in rows() for test in tests]
        there = functions()
        self.assertEqual([test for test in named if test not in there], [])


if __name__ == "__main__":
    xml_unittest.main()
