"""The programs as people and build servers use them: what they print, write and return."""

import glob
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree

import jsonschema

from tools import xml_unittest

RUN = "conformance/run"
MINIMAL = "conformance/testees/miniatures/minimal.py"

PROGRAM = [
    {"let": "numbers", "step": "dataset.range", "stop": 2},
    {"observe": "elements", "step": "dataset.elements", "of": "numbers"},
]


def make_case(claim, expect, **changes):
    return {
        "id": "input/own/" + claim,
        "level": "required",
        "states": "A range holds <numbers> & counts.",
        "cites": [{"source": "distributed_input", "anchor": "0Qb6nDgxiN_n"}],
        "given": {"strategy": "default"},
        "program": PROGRAM,
        "expect": [expect],
    } | changes


def elements(values):
    return {"observation": "elements", "equals": values}


CASES = [
    make_case("passes", elements([0, 1])),
    make_case("is_listed", elements([0, 2])),
    make_case("fails", elements([0, 3])),
    make_case(
        "ends_with_an_error",
        elements([0, 1]),
        program=PROGRAM + [{"step": "dataset.batch", "of": "numbers", "size": 0}],
    ),
]
DEVIATIONS = {
    "implementation": "own",
    "unsupported": [],
    "deviations": [
        {
            "kind": "by_design",
            "reason": "The reference counts by one.",
            "references": ["https://example.org/1"],
            "cases": ["input/own/is_listed"],
        }
    ],
}


class PlantedCases(unittest.TestCase):
    """Cases of its own in a folder, and the program that is put to work on them."""

    def setUp(self):
        self.folder = os.path.join(os.environ["TEST_TMPDIR"], self.id())
        os.makedirs(self.folder + "/input")
        self.write("input/own.json", {"topic": "Own cases", "cases": CASES})
        self.write("own.json", DEVIATIONS)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, document):
        with open(self.path(name), "w", encoding="utf-8") as stream:
            json.dump(document, stream)

    def read_json(self, name):
        with open(self.path(name), encoding="utf-8") as stream:
            return json.load(stream)

    def run_program(self, *arguments, **variables):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("BUILD_")}
        return subprocess.run(
            [RUN, *arguments], check=False, capture_output=True, text=True, env=environment | variables
        )

    def run_own(self, *arguments, **variables):
        return self.run_program(
            "--cases=" + self.path("input"), "--deviations=" + self.path("own.json"), *arguments, **variables
        )


class ByHandTest(PlantedCases):
    """Starts the program outside of Bazel, from a folder of the person's own."""

    def test_it_finds_its_own_files_and_writes_where_the_person_is(self):
        program = self.path("bin/run")
        os.makedirs(program + ".runfiles")
        shutil.copy(RUN, program)
        os.symlink(os.getcwd(), program + ".runfiles/lockstep")
        done = subprocess.run(
            [program, "--cases=input", "--deviations=own.json", "--filter=input/own/passes", "--json=r.json"],
            check=False,
            cwd=self.folder,
            capture_output=True,
            text=True,
            env={"PATH": os.environ["PATH"]},
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([case["verdict"] for case in self.read_json("r.json")["cases"]], ["passed"])

    def test_a_failure_is_run_again_by_the_command_it_prints(self):
        options = [f"--deviations={self.path('own.json')}", f"--json={self.path('r.json')}"]
        failed = self.run_program("--cases=" + self.path("input"), "--filter=input/own/fails", *options)
        (command,) = re.findall(r"^  rerun +(.*)$", failed.stdout, re.MULTILINE)
        self.assertEqual(command.split()[0], RUN)
        again = subprocess.run(command, shell=True, check=False, capture_output=True, text=True)
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
        self.assertIn("input/own/fails: failed (required)", again.stdout)


class StrangerTest(PlantedCases):
    """Runs a testee without most steps, as a new one is."""

    def test_what_is_unsupported_fits_on_some_screens(self):
        result = self.run_program(
            "--testee=/usr/bin/python3 -S " + MINIMAL, "--json=" + self.path("r.json"), "--junit=" + self.path("r.xml")
        )
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertLess(len(result.stdout.splitlines()), 130)
        self.assertRegex(result.stdout, r"(?m)^ +\d+  dataset\.range: not written yet\n +\w+/\w+/\w+, .*, \.\.\.$")
        # What is unsupported for no step is so for the number of workers, which needs no list.
        cases = self.read_json("r.json")["cases"]
        unsupported = {case["id"] for case in cases for run in case["runs"] if run.get("unsupported", {}).get("step")}
        self.assertIn(f"unsupported, and not listed: {len(unsupported)} cases", result.stdout)
        with open(self.path("r.xml"), encoding="utf-8") as stream:
            self.assertEqual(stream.read().count(' type="unsupported"'), len(unsupported))


class ProbeTest(PlantedCases):
    """Checks the messages of testees that are right."""

    def assert_right(self, testee, declared):
        result = self.run_program("--probe", "--testee=" + testee)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("  ok     " + declared, result.stdout)
        self.assertTrue(result.stdout.endswith(", 0 wrong\n"), result.stdout)

    def test_the_minimal_testee_is_right(self):
        self.assert_right("/usr/bin/python3 -S " + MINIMAL, "minimal: Minimal 1, from python, on CPU")

    def test_the_reference_is_right(self):
        self.assert_right("reference", "reference: ")


class RunTest(PlantedCases):
    """Puts cases of its own, and then the built-in ones, to the reference."""

    def junit(self):
        return xml.etree.ElementTree.parse(self.path("r.xml")).getroot()

    def test_results_follow_their_schema(self):
        self.assertEqual(self.run_own("--json=" + self.path("r.json")).returncode, 1)
        results = self.read_json("r.json")
        with open("conformance/schemas/results.schema.json", encoding="utf-8") as stream:
            jsonschema.validate(results, json.load(stream), cls=jsonschema.Draft7Validator)
        verdicts = {case["id"].split("/")[-1]: (case["verdict"], case["as_expected"]) for case in results["cases"]}
        self.assertEqual(
            verdicts,
            {
                "passes": ("passed", True),
                "is_listed": ("failed", True),
                "fails": ("failed", False),
                "ends_with_an_error": ("errored", False),
            },
        )
        self.assertEqual(results["testee"]["conventions"]["gradient_combination"], "sum")

    def test_junit_is_read_as_jenkins_and_gitlab_do(self):
        self.assertEqual(self.run_own("--junit=" + self.path("r.xml")).returncode, 1)
        root = self.junit()
        self.assertEqual(root.tag, "testsuites")
        (suite,) = root.findall("testsuite")
        for element in (root, suite):
            self.assertEqual(
                [element.get(name) for name in ("tests", "failures", "errors", "skipped")], ["4", "1", "1", "1"]
            )
        cases = {case.get("name"): case for case in suite.findall("testcase")}
        self.assertEqual(set(cases), {"passes", "is_listed", "fails", "ends_with_an_error"})
        self.assertEqual([child.tag for child in cases["passes"]], [])
        self.assertIn("by_design", cases["is_listed"].find("skipped").get("message"))
        failure = cases["fails"].find("failure")
        self.assertIn("A range holds <numbers> & counts.", failure.text)
        self.assertIn("not_listed", failure.get("message"))
        self.assertEqual(cases["ends_with_an_error"].find("error").get("type"), "errored")
        for case in cases.values():
            self.assertEqual(case.get("classname"), "conformance.reference.input.own")
            self.assertGreaterEqual(float(case.get("time")), 0)
        self.assertIn("--filter=input/own/fails", cases["fails"].find("system-out").text)

    def test_junit_is_green_where_the_run_is(self):
        self.assertEqual(self.run_own("--junit=" + self.path("r.xml"), "--filter=*/*s*ed").returncode, 0)
        self.assertEqual((self.junit().get("failures"), self.junit().get("errors")), ("0", "0"))

    def test_update_then_reasons_then_green(self):
        self.write("own.json", {"implementation": "own", "deviations": [], "unsupported": []})
        self.assertEqual(self.run_own("--update").returncode, 0)
        refused = self.run_own()
        self.assertEqual(refused.returncode, 1)
        self.assertIn("own.json at $.deviations[0]: has no reason", refused.stdout)
        document = self.read_json("own.json")
        self.assertEqual(
            [entry["cases"] for entry in document["deviations"]],
            [["input/own/ends_with_an_error"], ["input/own/fails", "input/own/is_listed"]],
        )
        for entry in document["deviations"]:
            entry.update(reason="It was made so for this test.", references=["https://example.org/1"])
        self.write("own.json", document)
        self.assertEqual(self.run_own().returncode, 0)
        with open("conformance/schemas/deviations.schema.json", encoding="utf-8") as stream:
            jsonschema.validate(document, json.load(stream), cls=jsonschema.Draft7Validator)

    def test_a_run_is_held_against_its_recorded_answers(self):
        def run(*arguments):
            return self.run_own("--filter=*/*/passes", *arguments, BUILD_WORKSPACE_DIRECTORY=self.folder)

        def keep(answers):
            with open(place, "w", encoding="utf-8") as stream:
                stream.write(answers)

        self.assertEqual(run("--record").returncode, 0)
        (place,) = glob.glob(self.path("conformance/answers/reference/*.json"))
        self.assertEqual(run().returncode, 0)
        with open(place, encoding="utf-8") as stream:
            recorded = stream.read()
        self.assertEqual(recorded.count("[0,1]"), 1, recorded)
        other = recorded.replace("[0,1]", "[0,2]")
        keep(other)
        changed = run()
        self.assertEqual(changed.returncode, 1)
        self.assertIn("passed, but it was failed when its answers were recorded", changed.stdout)
        self.assertEqual(run("--judge", "--update").returncode, 0)
        self.assertIn("input/own/passes", self.read_json("own.json")["deviations"][1]["cases"])
        self.write("own.json", DEVIATIONS)
        keep(other.replace('"implementation":"', '"implementation":"An older '))
        self.assertEqual(run().returncode, 0)
        keep(other)
        self.assertEqual(run("--record").returncode, 0)

    def test_answers_of_a_file_are_held_to_the_list_of_their_testee(self):
        answers = self.path("answers.json")
        self.assertEqual(self.run_own("--filter=*/*/passes", "--record=" + answers).returncode, 0)
        self.write(
            "testees.json",
            {"testees": [{"name": "reference", "means": "It.", "command": ["it"], "deviations": "shared"}]},
        )
        judged = self.run_own("--filter=*/*/passes", "--judge=" + answers, "--testees=" + self.path("testees.json"))
        self.assertIn("everything is as expected of shared", judged.stdout)

    def test_bad_input_is_named_with_file_and_place(self):
        for changes, words in (
            ({"level": "vital"}, "$.cases[0].level: unknown level 'vital'"),
            ({"program": [{"step": "data.guess"}]}, "$.cases[0].program[0].step: unknown step 'data.guess'"),
            ({"cites": [{"source": "rumour", "anchor": "x"}]}, "$.cases[0].cites[0].source: unknown source"),
            (
                {"expect": [elements([0]) | {"when": {"colour": "red"}}]},
                "$.cases[0].expect[0].when.colour: unknown convention 'colour'",
            ),
        ):
            self.write("input/own.json", {"topic": "Own", "cases": [make_case("x", elements([0])) | changes]})
            self.assert_refused(words)
        self.write("input/own.json", {"topic": "Own", "cases": [CASES[0], CASES[0]]})
        self.assert_refused("$.cases[1].id: the id 'input/own/passes' is already used in")
        self.write("input/own.json", {"topic": "Own", "format": 2, "cases": CASES})
        self.assert_refused("$.format: this runner reads format 1, got 2")
        with open(self.path("input/own.json"), "w", encoding="utf-8") as stream:
            stream.write('{"topic": "Own",\n "cases": [')
        self.assert_refused("line 2")

    def assert_refused(self, words):
        result = self.run_own()
        self.assertEqual(result.returncode, 2, result)
        self.assertIn(words, result.stderr)
        self.assertIn(self.path("input/own.json"), result.stderr)

    def test_a_testee_that_does_not_start_is_told_once(self):
        result = self.run_own(
            "--testee=python3 -c \"raise SystemExit('no such device')\"", "--json=" + self.path("r.json")
        )
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("does not start: crashed by exit status 1\nno such device", result.stderr)
        self.assertFalse(os.path.exists(self.path("r.json")))

    def test_no_gpu_is_said_once(self):
        result = self.run_program("--testee=reference_gpu", "--filter=loss/*")
        if result.returncode == 2:
            self.assertIn("[FindDevice] no device GPU:0", result.stderr)
            self.assertLess(len(result.stderr.splitlines()), 4)
        else:
            self.assertIn("everything is as expected of reference", result.stdout)

    def test_interrupted_run_leaves_its_results(self):
        arguments = ["--repeat=100000", "--filter=input/own/passes", "--json=" + self.path("r.json")]
        process = subprocess.Popen(
            [RUN, "--cases=" + self.path("input"), *arguments], stdout=subprocess.PIPE, text=True
        )
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 2)
        self.assertIn("interrupted: the results are incomplete", output)
        self.assertFalse(self.read_json("r.json")["complete"])

    def test_built_in_cases_pass(self):
        result = self.run_program("--json=" + self.path("r.json"))
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("everything is as expected of reference", result.stdout)
        self.assertGreater(len(self.read_json("r.json")["cases"]), 500)


# Counting these batches takes longer than the deadline, and far longer than a test.
ENDLESS = [
    {"let": "numbers", "step": "dataset.range", "stop": 10**18},
    {"let": "batches", "step": "dataset.batch", "of": "numbers", "size": 1},
    {"let": "inputs", "step": "strategy.distribute_dataset", "of": "batches"},
    {"observe": "elements", "step": "input.count_batches", "of": "inputs"},
]
ONE_BATCH = ENDLESS[:1] + [
    {"let": "batch", "step": "dataset.batch", "of": "numbers", "size": 10**18},
    {"observe": "elements", "step": "dataset.elements", "of": "batch"},
]
MIRRORED = {"strategy": "mirrored", "replicas": 2}

# Says what it is and no more; the number is that of its child.
HUNG = """read start
echo '{"version": 1, "name": "hung", "implementation": "Hung 1", "language": "sh", "devices": [],' \\
  '"conventions": {}, "steps": ["dataset.range"]}'
read run
mktemp > /dev/null
touch "$1"
sleep 86399.25
"""


class HeldTest(PlantedCases):
    """A testee that does not end by itself is ended: by its deadline, its memory or the user."""

    def setUp(self):
        super().setUp()
        os.makedirs(self.path("tmp"))
        self.write(
            "input/own.json",
            {
                "topic": "Own cases",
                "cases": [
                    make_case("comes_before", elements([0, 1])),
                    make_case("has_no_end", elements(1), program=ENDLESS, given=MIRRORED),
                    make_case("is_behind", elements([0, 1])),
                ],
            },
        )

    def verdicts(self):
        return {case["id"].split("/")[-1]: case["verdict"] for case in self.read_json("r.json")["cases"]}

    def test_deadline_ends_the_reference_too(self):
        self.assertEqual(self.run_own("--deadline=1", "--json=" + self.path("r.json")).returncode, 1)
        self.assertEqual(self.verdicts(), {"comes_before": "passed", "has_no_end": "timed_out", "is_behind": "passed"})

    def test_memory_limit_holds_for_the_reference_too(self):
        self.write(
            "input/own.json",
            {
                "topic": "Own cases",
                "cases": [
                    make_case("has_no_end", elements(1), program=ONE_BATCH),
                    make_case("is_behind", elements([0, 1])),
                ],
            },
        )
        result = self.run_own("--memory=0.5", "--json=" + self.path("r.json"))
        self.assertEqual(self.verdicts(), {"has_no_end": "crashed", "is_behind": "passed"}, result.stdout)
        self.assertIn("crashed by SIGKILL for too much memory (--memory)", result.stdout)

    def interrupt(self, number, *arguments, ready):
        """Sends the signal once ready() holds; what the program printed."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("BUILD_")}
        process = subprocess.Popen(
            [RUN, "--cases=" + self.path("input"), "--json=" + self.path("r.json"), *arguments],
            stdout=subprocess.PIPE,
            text=True,
            env=environment | {"TMPDIR": self.path("tmp")},
        )
        while not ready():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        started = time.monotonic()
        process.send_signal(number)
        output, _ = process.communicate(timeout=30)
        # Takes a tenth of a second; the deadline would be a minute.
        self.assertLess(time.monotonic() - started, 10)
        self.assertEqual(process.returncode, 2)
        self.assertIn("interrupted: the results are incomplete", output)
        self.assertFalse(self.read_json("r.json")["complete"])
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_a_signal_ends_an_endless_case(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            ready_at = time.monotonic() + 0.7  # it is in its endless case by then, or just begins
            self.interrupt(number, ready=lambda: time.monotonic() > ready_at)
            self.assertLessEqual(set(self.verdicts()), {"comes_before"})

    def test_a_signal_ends_a_hung_testee(self):
        with open(self.path("hung.sh"), "w", encoding="utf-8") as stream:
            stream.write(HUNG)
        asked = self.path("asked")
        self.interrupt(
            signal.SIGTERM, f"--testee=sh {self.path('hung.sh')} {asked}", ready=lambda: os.path.exists(asked)
        )
        self.assertEqual(self.verdicts(), {})
        self.assertEqual([line for line in command_lines() if "86399.25" in line or "hung.sh" in line], [])


def command_lines():
    """Of all processes."""
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", encoding="utf-8", errors="replace") as stream:
                yield stream.read().replace("\0", " ")
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has ended meanwhile


if __name__ == "__main__":
    xml_unittest.main()
