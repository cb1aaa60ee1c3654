"""Results as objects."""

import os
import sys
import tempfile
import unittest
from unittest import mock

from lockstep_suite import installation, results
from tools import xml_unittest


def finding(difference=None):
    return {"holds": difference is None, **({"difference": difference} if difference else {})}


def case(verdict, *findings):
    return {
        "id": "a/b/c",
        "level": "required",
        "verdict": verdict,
        "as_expected": verdict == "passed",
        "states": "It holds.",
        "runs": [{"findings": list(findings)}],
    }


class FromJsonTest(unittest.TestCase):
    def result(self, *cases):
        unexpected = [{"subject": "mine.json", "text": "has no reason"}, {"subject": "a/b/c", "text": "failed"}]
        return results.from_json(
            {
                "testee": {"implementation": "Mine 1.0"},
                "as_expected": False,
                "unexpected": unexpected,
                "cases": list(cases),
            }
        )

    def test_a_case_has_what_differs(self):
        (failed,) = self.result(case("failed", finding(), finding("loss is 2, expected 1"))).cases
        self.assertEqual(failed.differences, ("loss is 2, expected 1",))
        self.assertEqual(
            str(failed), "a/b/c: failed\n  states: It holds.\nloss is 2, expected 1\n  explain: lockstep explain a/b/c"
        )

    def test_a_case_names_each_unsupported_step_once(self):
        content = case("unsupported")
        one = {"step": "model.create", "reason": "l2: not written yet"}
        content["runs"] = [{"unsupported": one, "findings": []}] * 2
        (unsupported,) = self.result(content).cases
        self.assertEqual(unsupported.missing, ("model.create: l2: not written yet",))
        self.assertIn("\n  missing: model.create: l2: not written yet\n", str(unsupported))

    def test_problems_are_by_what_they_are_of(self):
        self.assertEqual(self.result().problems(), {"mine.json": ["has no reason"], "a/b/c": ["failed"]})

    def test_a_result_is_one_line(self):
        result = self.result(case("passed", finding()), case("failed", finding("x")), case("passed", finding()))
        self.assertEqual(repr(result), "<Result of Mine 1.0: not as expected, 1 failed, 2 passed>")

    def test_the_implementation_is_named(self):
        result = self.result(case("passed", finding()))
        self.assertEqual((result.implementation, result.as_expected), ("Mine 1.0", False))
        self.assertTrue(result.cases[0].as_expected)


class TesteeCommandTest(unittest.TestCase):
    @mock.patch.dict(os.environ, {"LOCKSTEP_PYTHON": "/opt/my python"})
    def test_a_program_in_python_is_started_by_python(self):
        self.assertEqual(results.testee_command("/opt/t.py"), "'/opt/my python' /opt/t.py")

    @mock.patch.dict(os.environ)
    def test_the_python_is_the_callers(self):
        os.environ.pop("LOCKSTEP_PYTHON", None)
        self.assertEqual(results.testee_command("/t.py"), f"{sys.executable} /t.py")

    def test_names_and_commands_stay(self):
        self.assertEqual(results.testee_command("jax"), "jax")
        self.assertEqual(results.testee_command("python3 -m my.testee"), "python3 -m my.testee")


class CheckCommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        patched = mock.patch.dict(os.environ, {"BUILD_WORKING_DIRECTORY": self.folder})
        patched.start()
        self.addCleanup(patched.stop)
        with open(os.path.join(self.folder, "t.py"), "w", encoding="utf-8") as stream:
            stream.write("")

    def test_a_program_that_is_not_there(self):
        for testee in ("python3 my_teste.py", "python3 -u my_teste.py --fast", "my_teste.py"):
            with self.assertRaisesRegex(
                installation.CannotRun, rf"^\[testee\] there is no my_teste.py in {self.folder}$"
            ):
                results.check_command(testee)

    def test_a_script_that_is_not_executable(self):
        with self.assertRaisesRegex(
            installation.CannotRun, "./t.py is not executable; did you mean 'python3 ./t.py -u'"
        ):
            results.check_command("./t.py -u")

    def test_an_open_quote(self):
        with self.assertRaisesRegex(installation.CannotRun, "check its quotes"):
            results.check_command("python3 't.py")

    def test_what_may_be_right_stays(self):
        for testee in (
            "jax",
            "python3 t.py",
            "t.py",
            "./t.py",
            "python3 -m a.py",
            "python3 -c x.py",
            "docker run i /t.py",
        ):
            results.check_command(testee)


if __name__ == "__main__":
    xml_unittest.main()
