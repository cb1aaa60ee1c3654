import contextlib
import io
import json
import os
import sys
import tarfile
import time
import unittest
import unittest.mock

from tools import xml_unittest
from tools.gpu_check import check, driver

WRITE_REPORT = """for word in "$@"; do
  case "$word" in --gtest_output=xml:*) path="${word#--gtest_output=xml:}";; esac
done
printf '%%s' '<testsuites><testsuite><testcase name="a"/>%s</testsuite></testsuites>' > "$path"
"""


def has_ended(stat):
    """Whether the process of /proc/N/stat is gone, or a zombie."""
    try:
        with open(stat, encoding="utf-8") as stream:
            return stream.read().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


class CheckTest(unittest.TestCase):
    """check.py on packages whose programs are shell scripts."""

    def setUp(self):
        self.root = os.path.join(os.environ["TEST_TMPDIR"], self.id())
        self.output = os.path.join(self.root, "results")
        for name in ("bin", "lib", "data/lockstep"):
            os.makedirs(os.path.join(self.root, name))

    def add(self, name, text):
        path = os.path.join(self.root, "bin", name)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o755)

    def check(self, *arguments, tests=(), programs=(), libraries=(), tests_seconds=60, gpus=1, driver_folder=None):
        tests = [test if isinstance(test, dict) else {"name": test} for test in tests]
        tests = [
            dict(
                {"binary": test["name"], "group": "first", "seconds": tests_seconds, "test": True, "arguments": []},
                **test,
            )
            for test in tests
        ]
        programs = tests + [dict({"group": "second"}, **program) for program in programs]
        manifest = {"commit": "abc", "cuda_libraries": list(libraries), "data_files": ["images"], "programs": programs}
        with open(os.path.join(self.root, "manifest.json"), "w", encoding="utf-8") as stream:
            json.dump(manifest, stream)
        errors = io.StringIO()
        found = driver.Driver(None, driver_folder, gpus, None if gpus else "the driver counts 0 GPUs")
        with (
            contextlib.redirect_stderr(errors),
            contextlib.redirect_stdout(io.StringIO()),
            unittest.mock.patch.object(driver, "load", lambda: found),
            unittest.mock.patch.object(driver, "hold_context", lambda library: None),
        ):
            status = check.main(["--output", self.output, *arguments], root=self.root)
        return status, errors.getvalue()

    def results(self, part="results"):
        with open(os.path.join(self.output, "summary.json"), encoding="utf-8") as stream:
            return {entry["name"]: entry for entry in json.load(stream)[part]}

    def plant_data(self, *path):
        folder = os.path.join(self.root, *path)
        os.makedirs(os.path.join(folder, "fashion_mnist"))
        with open(os.path.join(folder, "fashion_mnist", "images.gz"), "w", encoding="utf-8"):
            pass
        return folder

    def test_counts_the_cases_of_a_test(self):
        self.add("good", WRITE_REPORT % '<testcase name="b"/>')
        self.assertEqual(self.check(tests=["good"])[0], 0)
        result = self.results()["good"]
        self.assertEqual((result["result"], result["cases"], result["failed_cases"]), ("passed", 2, 0))

    def test_a_report_of_an_earlier_run_is_not_read(self):
        os.makedirs(self.output)
        with open(os.path.join(self.output, "report.xml"), "w", encoding="utf-8") as stream:
            stream.write('<testsuites><testcase name="old"/></testsuites>')
        self.add("exits", "exit 0")
        self.check(tests=["exits"])
        self.assertEqual(self.results()["exits"]["result"], "failed")

    def test_one_failure_is_a_failure(self):
        self.add("good", WRITE_REPORT % "")
        self.add("bad", WRITE_REPORT % '<testcase name="b"><failure/></testcase>' + "exit 1")
        self.assertEqual(self.check(tests=["bad", "good"])[0], 1)
        self.assertEqual(self.results()["bad"]["failed_cases"], 1)
        self.assertEqual(self.results()["good"]["result"], "passed")

    def test_the_cases_that_failed_are_named(self):
        failed = "".join('<testcase name="c%d" classname="T"><failure/></testcase>' % i for i in range(5))
        self.add("bad", WRITE_REPORT % failed + 'echo " 5 FAILED TESTS"; exit 1')
        self.check(tests=["bad"])
        self.assertEqual(self.results()["bad"]["why"], "T.c0, T.c1, T.c2, 2 more")
        one = '<testcase name="c" classname="T"><failure/></testcase>'
        for end, why in (("kill -SEGV $$", "SIGSEGV: T.c"), ("exit 0", "T.c")):
            self.add("bad", WRITE_REPORT % one + end)
            self.check(tests=["bad"])
            self.assertEqual((self.results()["bad"]["result"], self.results()["bad"]["why"]), ("failed", why))

    def test_what_was_skipped_or_gave_no_report_did_not_pass(self):
        self.add("skips", WRITE_REPORT % '<testcase name="b" result="skipped"><skipped/></testcase>')
        self.add("exits", "exit 0")
        self.assertEqual(self.check(tests=["exits", "skips"])[0], 1)
        self.assertEqual(self.results()["skips"]["result"], "skipped")
        self.assertEqual(self.results()["exits"]["result"], "failed")

    def test_no_program_runs_beyond_the_deadlines(self):
        self.add("hangs", "exec sleep 600")
        self.add("late", WRITE_REPORT % "")
        self.assertEqual(self.check("--deadline=2", tests=["hangs", "late"])[0], 1)
        self.assertEqual(self.results()["hangs"]["result"], "timed out")
        self.assertEqual(self.results()["late"]["result"], "not run")
        self.assertEqual(self.results()["late"]["why"], "there was no time left")

    def test_programs_write_into_the_results(self):
        self.add("bench", 'test "$LOCKSTEP_REQUIRE_GPU" = 1 && echo 1 > "$1"')
        program = {"name": "bench", "binary": "bench", "arguments": ["{output}/bench.json"], "seconds": 5}
        self.assertEqual(self.check(programs=[program])[0], 0)
        self.assertTrue(os.path.exists(os.path.join(self.output, "bench.json")))

    def test_programs_find_their_data_where_they_run(self):
        self.add("reader", 'test "$RUNFILES_DIR/lockstep" = "$(pwd -P)" && test "$RUNFILES_DIR" = "$TEST_SRCDIR"')
        program = {"name": "reader", "binary": "reader", "arguments": [], "seconds": 5}
        self.assertEqual(self.check(programs=[program])[0], 0)

    def test_a_hanging_program_takes_no_time_of_the_next_ones(self):
        self.add("hangs", 'echo "[ RUN ] Waits.ForEver"; exec sleep 600')
        self.add("takes_long", "sleep 0.3\n" + WRITE_REPORT % "")
        hanging = [{"name": name, "binary": "hangs", "seconds": seconds} for name, seconds in (("a", 0.2), ("c", 2))]
        self.assertEqual(self.check(tests=[*hanging, {"name": "takes_long", "seconds": 20}])[0], 1)
        self.assertEqual(self.results()["c"]["result"], "timed out")
        self.assertEqual(self.results()["c"]["why"], "over 2 s: [ RUN ] Waits.ForEver")
        self.assertEqual(self.results()["takes_long"]["result"], "passed")

    def test_all_seconds_can_be_stretched(self):
        self.add("takes_long", "sleep 0.5\n" + WRITE_REPORT % "")
        self.check(tests=["takes_long"], tests_seconds=0.2)
        self.assertEqual(self.results()["takes_long"]["result"], "timed out")
        self.check("--stretch=100", tests=["takes_long"], tests_seconds=0.2)
        self.assertEqual(self.results()["takes_long"]["result"], "passed")

    def test_groups_run_in_their_order_or_alone(self):
        self.add("good", "exit 0")
        programs = [
            {"name": group, "group": group, "binary": "good", "arguments": [], "seconds": 5}
            for group in ("fourth", "second", "third")
        ]
        self.check(programs=programs)
        self.assertEqual(list(self.results()), ["second", "third", "fourth"])
        self.check("--group=third", programs=programs)
        self.assertEqual(list(self.results()), ["third"])

    def test_how_a_program_died_is_named(self):
        self.add("killed", "echo early; kill -KILL $$")
        self.add("segfaults", "kill -SEGV $$")
        self.add("exits", "exit 3")
        programs = [
            {"name": name, "binary": name, "arguments": [], "seconds": 5}
            for name in ("killed", "segfaults", "exits", "nowhere")
        ]
        self.assertEqual(self.check(programs=programs)[0], 1)
        reasons = {name: result["why"] for name, result in self.results().items()}
        self.assertEqual(reasons["killed"], "SIGKILL: early")
        self.assertEqual(reasons["segfaults"], "SIGSEGV: it said nothing")
        self.assertEqual(reasons["exits"], "exit 3: it said nothing")
        self.assertIn("No such file", reasons["nowhere"])

    def test_what_needs_several_gpus_is_not_applicable_on_one(self):
        self.add("good", WRITE_REPORT % "")
        tests = ["good", {"name": "between", "binary": "good", "gpus": 2}]
        self.assertEqual(self.check(tests=tests)[0], 0)
        self.assertEqual(self.results()["between"]["result"], "not applicable")
        self.assertEqual(self.results()["between"]["why"], "it needs 2 GPUs, there is 1")
        line = self.results("verdicts")["gpu_tests"]
        self.assertEqual((line["verdict"], line["got"]), ("met", "1 of 1 passed; between: not applicable"))
        self.check(tests=tests, gpus=2)
        self.assertEqual(self.results("verdicts")["gpu_tests"]["got"], "2 of 2 passed")

    def test_programs_search_the_loaders_paths(self):
        self.add("searches", 'echo "$LD_LIBRARY_PATH" > "$1"')
        program = {"name": "searches", "binary": "searches", "arguments": ["{output}/out"], "seconds": 5}
        with unittest.mock.patch.dict(os.environ, LD_LIBRARY_PATH="/inherited:/other"):
            self.check(programs=[program], driver_folder="/driver")
        with open(os.path.join(self.output, "out"), encoding="utf-8") as stream:
            self.assertEqual(stream.read(), "%s/lib:/inherited:/other:/driver\n" % self.root)

    def test_the_archive_holds_the_results_and_nothing_temporary(self):
        self.add("writes", 'echo 1 > "$1"; echo 2 > "$TEST_TMPDIR/large"')
        program = {"name": "writes", "binary": "writes", "arguments": ["{output}/written.json"], "seconds": 5}
        archive = os.path.join(self.root, "all.tar.gz")
        self.check("--archive", archive, programs=[program])
        with tarfile.open(archive) as results:
            self.assertEqual(
                sorted(results.getnames()),
                ["results/" + name for name in ("log.txt", "summary.json", "summary.md", "written.json")],
            )
            self.assertEqual(results.extractfile("results/written.json").read(), b"1\n")

    def test_what_a_program_started_ends_with_it(self):
        number = os.path.join(self.root, "number")
        self.add("parent", "sleep 600 & echo $! > %s; wait" % number)
        program = {"name": "parent", "binary": "parent", "arguments": [], "seconds": 2}
        self.assertEqual(self.check(programs=[program])[0], 1)
        with open(number, encoding="ascii") as stream:
            child = "/proc/%s/stat" % stream.read().strip()
        for _ in range(600):
            if has_ended(child):
                return
            time.sleep(0.05)
        self.fail("%s is left" % child)

    def test_the_summary_says_why_something_did_not_pass(self):
        self.add("bad", 'echo early; echo "out | of memory" >&2; exit 1')
        program = {"name": "bad", "binary": "bad", "arguments": [], "seconds": 5}
        self.assertEqual(self.check(programs=[program])[0], 1)
        self.assertEqual(self.results()["bad"]["why"], "exit 1: out | of memory")
        self.add("mute", "exit 1")
        self.check(programs=[program, dict(program, name="mute", binary="mute")])
        self.assertEqual(self.results()["mute"]["why"], "exit 1: it said nothing")
        with open(os.path.join(self.output, "summary.md"), encoding="utf-8") as stream:
            self.assertIn("out \\| of memory |", stream.read())
        with open(os.path.join(self.output, "log.txt"), encoding="utf-8") as stream:
            self.assertIn("early\nout | of memory\n", stream.read())

    def test_a_program_fails_on_stderr_and_a_tool_or_test_on_stdout(self):
        self.add("both", 'echo "I logged" >&2; echo "2 errors"; exit 1')
        program = {"name": "both", "binary": "both", "arguments": [], "seconds": 5}
        self.check(tests=["both"], programs=[dict(program, name="tool", tool=["env"]), dict(program, name="program")])
        why = {name: result["why"] for name, result in self.results().items()}
        self.assertEqual(why, {"both": "exit 1: 2 errors", "tool": "exit 1: 2 errors", "program": "exit 1: I logged"})
        self.add("one", 'echo "only here"; exit 1')
        self.check(programs=[dict(program, binary="one")])
        self.assertEqual(self.results()["both"]["why"], "exit 1: only here")

    def test_scripts_run_with_this_python_and_find_their_places(self):
        with open(os.path.join(self.root, "data", "lockstep", "peer.py"), "w", encoding="utf-8") as stream:
            stream.write(
                'import os, sys\nassert not os.environ.get("LD_LIBRARY_PATH")\n'
                'open(sys.argv[1], "w").write(" ".join([sys.executable] + sys.argv[2:]))\n'
            )
        program = {
            "name": "peer",
            "script": "peer",
            "module": "json",
            "seconds": 30,
            "arguments": ["{output}/out", "--ours=LIBS={libraries} {bin}/x --data={data} {json}", "{python}"],
        }
        with unittest.mock.patch.dict(os.environ):
            os.environ.pop("LD_LIBRARY_PATH", None)
            self.assertEqual(self.check(programs=[program])[0], 0)
        with open(os.path.join(self.output, "out"), encoding="utf-8") as stream:
            self.assertEqual(
                stream.read(),
                "%s --ours=LIBS=%s/lib %s/bin/x --data=%s/data/lockstep {json} %s"
                % (sys.executable, self.root, self.root, self.root, sys.executable),
            )

    def test_what_needs_something_that_is_not_there_is_left_out(self):
        self.add("good", "exit 0")
        programs = [
            {"name": "good", "binary": "good", "arguments": [], "seconds": 5},
            {"name": "peer", "script": "p", "module": "no_such_module", "arguments": [], "seconds": 5},
            {"name": "memcheck", "binary": "good", "tool": ["no-such-tool"], "arguments": [], "seconds": 5},
        ]
        self.assertEqual(self.check(programs=programs)[0], 0)
        self.assertEqual(self.results()["peer"]["result"], "left out")
        self.assertIn("no_such_module", self.results()["peer"]["why"])
        self.assertIn("no-such-tool", self.results()["memcheck"]["why"])
        self.assertEqual(self.check(programs=programs[1:])[0], 1)  # nothing passed

    def test_a_tool_runs_the_program(self):
        self.add("good", 'test "$A$1" = 1--flag')
        program = {"name": "memcheck", "binary": "good", "tool": ["env", "A=1"], "arguments": ["--flag"], "seconds": 5}
        self.assertEqual(self.check(programs=[program])[0], 0)

    def test_without_a_gpu_it_says_so_and_ends_so(self):
        self.add("good", "exit 0")
        program = {"name": "good", "binary": "good", "arguments": [], "seconds": 5}
        status, errors = self.check(programs=[program], gpus=0)
        self.assertEqual(status, 3)
        self.assertIn("there is no GPU: the driver counts 0 GPUs", errors)
        self.assertEqual(self.results(), {})
        with open(os.path.join(self.output, "summary.md"), encoding="utf-8") as stream:
            self.assertIn("**Nothing was run**: there is no GPU", stream.read())

    def test_missing_libraries_are_named_before_anything_runs(self):
        status, errors = self.check(tests=["x"], libraries=["libcudnn_of_nobody.so.9"])
        self.assertEqual(status, 2)
        self.assertIn("libcudnn_of_nobody.so.9", errors)

    def test_nothing_to_run_is_no_success(self):
        self.assertEqual(self.check()[0], 1)

    def test_programs_that_need_the_full_data_get_it(self):
        self.add("reader", 'test -e "$LOCKSTEP_DATA_DIR/fashion_mnist/images.gz" && echo "$LOCKSTEP_DATA_DIR" > "$1"')
        program = {"name": "reader", "binary": "reader", "arguments": ["{output}/out"], "seconds": 5, "data": "full"}
        there = self.plant_data("elsewhere")
        self.assertEqual(self.check("--data", there, programs=[program])[0], 0)
        own = self.plant_data("datasets")
        self.assertEqual(self.check(programs=[program])[0], 0)
        with open(os.path.join(self.output, "out"), encoding="utf-8") as stream:
            self.assertEqual(stream.read(), own + "\n")

    def test_without_the_full_data_its_programs_are_left_out(self):
        self.add("good", "exit 0")
        program = {"name": "accuracy", "binary": "good", "arguments": [], "seconds": 5, "data": "full"}
        self.check(programs=[program])
        self.assertEqual(self.results()["accuracy"]["result"], "left out")
        self.assertIn("--data", self.results()["accuracy"]["why"])

    def test_missing_data_that_was_requested_ends_it(self):
        self.add("good", "exit 0")
        program = {"name": "good", "binary": "good", "arguments": [], "seconds": 5}
        status, errors = self.check("--data", os.path.join(self.root, "nowhere"), programs=[program])
        self.assertEqual((status, self.results()), (2, {}))
        self.assertRegex(errors, r"nowhere/fashion_mnist has no images\.gz")

    def test_what_an_earlier_run_wrote_is_not_taken_for_this_ones(self):
        path = os.path.join(self.output, "conformance.json")
        self.add("writes", 'echo "$1" | cut -d= -f2 | xargs touch')
        program = {
            "name": "conformance",
            "binary": "writes",
            "arguments": ["--json={output}/conformance.json"],
            "seconds": 5,
        }
        self.check(programs=[program])
        self.assertTrue(os.path.exists(path))
        self.add("writes", "exit 0")
        self.check(programs=[program])
        self.assertFalse(os.path.exists(path))

    def test_a_promise_that_is_not_met_is_no_success(self):
        text = json.dumps(
            {
                "complete": True,
                "options": {"filter": "*"},
                "testee": {"name": "reference_gpu"},
                "cases": [{"id": "a", "verdict": "failed"}],
            }
        )
        self.add("conformance", "echo '%s' > \"$1\"" % text)
        program = {
            "name": "conformance",
            "binary": "conformance",
            "arguments": ["{output}/conformance.json"],
            "seconds": 5,
        }
        self.assertEqual(self.check(programs=[program])[0], 1)
        self.assertEqual(self.results()["conformance"]["result"], "passed")
        verdicts = self.results("verdicts")
        self.assertEqual(
            (verdicts["conformance"]["verdict"], verdicts["conformance"]["got"]),
            ("not met", "0 of 1 passed; a: failed"),
        )
        self.assertEqual(verdicts["accuracy"]["verdict"], "not measured")


if __name__ == "__main__":
    xml_unittest.main()
