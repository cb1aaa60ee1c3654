"""The probe finds nothing wrong with those that are right, and the mistake of each miniature."""
import contextlib
import io
import os
import unittest
from concurrent import futures

from conformance.probe import probe
from tools import xml_unittest

MINIATURES = "conformance/testees/miniatures/"
PYTHON = "/usr/bin/python3 -S "


def run_probe(testee, *options):
    """(exit status, all that it said)."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stderr(errors):
        status = probe.main([f"--testee={testee}", *options], out)
    return status, out.getvalue() + errors.getvalue()


class ProbeTest(unittest.TestCase):

    def test_the_minimal_testee_is_right(self):
        status, text = run_probe(PYTHON + MINIATURES + "minimal.py")
        self.assertEqual(status, 0, text)
        self.assertIn("ok     minimal: Minimal 1, from python, on CPU", text)
        self.assertIn("ok     the same program again, with seq 1000000", text)
        self.assertIn("ok     a step that does not exist: unsupported", text)
        self.assertIn("ok     a step that fails: its class and its name", text)
        self.assertIn("ok     stop: ended with status 0", text)
        self.assertIn("ok     unknown command: ended with status 1", text)
        self.assertIn("ok     end of input: ended with status 1", text)
        self.assertTrue(text.endswith(", 0 wrong\n"), text)

    def test_the_reference_is_right(self):
        status, text = run_probe("reference")
        self.assertEqual(status, 0, text)
        self.assertIn("reference: ", text)

    def test_verbose_shows_every_line(self):
        _, text = run_probe(PYTHON + MINIATURES + "minimal.py", "--verbose")
        self.assertIn('-> {"cmd": "start", "version": 1}', text)
        self.assertIn('<- {"version": 1, "name": "minimal"', text)
        self.assertIn('-> {"cmd": "stop"}', text)

    def test_what_cannot_be_started_is_an_error(self):
        status, text = run_probe("/nonexistent/testee")
        self.assertEqual(status, 2)
        self.assertIn("/nonexistent/testee", text)
        status, text = run_probe("nobody")
        self.assertEqual(status, 2)
        self.assertIn("there is no testee 'nobody', only ", text)
        self.assertIn("reference", text)

    def test_deadlines_that_nobody_can_mean_are_refused(self):
        for option in ("--deadline=1e18", "--deadline=nan", "--start_deadline=0"):
            errors = io.StringIO()
            with self.assertRaises(SystemExit) as end, contextlib.redirect_stderr(errors):
                probe.main(["--testee=reference", option])
            self.assertEqual(end.exception.code, 2)
            self.assertIn("wanted a number from 0.001 to 1000000", errors.getvalue())

    def test_help_shows_examples(self):
        with self.assertRaises(SystemExit) as end, contextlib.redirect_stdout(io.StringIO()) as out:
            probe.main(["--help"])
        self.assertEqual(end.exception.code, 0)
        self.assertIn("--testee='python3 my_testee.py'", out.getvalue())


class Mistake:
    """A miniature's mode, and what the probe says of it."""

    def __init__(self, mode, *texts, deadline=20, start_deadline=20):
        self.options = [
            f"--testee={PYTHON}{MINIATURES}miniature.py {mode}", f"--deadline={deadline}",
            f"--start_deadline={start_deadline}"]
        self.texts = texts


def run_miniature(mistake):
    """(exit status, what it said)."""
    out = io.StringIO()
    return probe.main(mistake.options, out), out.getvalue()


MISTAKES = {
    "at_its_start": [
        Mistake("dies_at_start", "start: it ended with status 1", "stderr no such device"),
        Mistake("is_silent_at_start", "start: no answer in 0.5 s", start_deadline=0.5),
        Mistake("babbles_at_start", "start: the line is not JSON", "said   Welcome!",
                "next   print nothing but messages to stdout"),
        Mistake("declares_twice", "start: a line that nobody asked for"),
        Mistake("declares_too_little", "'implementation' is a required property"),
        Mistake("declares_nonsense", "operations.md describes no step 'value.no_such'",
                "at $.conventions.no_such: 'x', but conventions.json has no such convention",
                "at $.conventions.end_of_data: 'lost', but conventions.json has one of drop,")],
    "in_a_program": [
        Mistake("exits", "it ended with status 4", "stderr last words"),
        Mistake("dies_by_signal", "it was killed by SIGSEGV"),
        Mistake("is_silent", "no answer in 0.3 s", deadline=0.3),
        Mistake("babbles_before", "the line is not JSON", "said   Epoch 1/10"),
        Mistake("babbles_after", "a line that nobody asked for", "said   Epoch 1/10"),
        Mistake("answers_twice", "a line that nobody asked for"),
        Mistake("lies_about_seq", "at $.seq: 0, but the program came with 1"),
        Mistake("never_ends_a_line", "the line has more than 16777216 bytes"),
        Mistake("writes_too_large_a_number", "no double holds the number 1e400"),
        Mistake("says_a_field_twice", "'observations' stands in one object twice"),
        Mistake("writes_nan", 'NaN is no JSON', 'a text, as "NaN"'),
        Mistake("observes_more", "no step of the program observes 'extra'"),
        Mistake("observes_nothing", "is missing, though the program ran to its end"),
        Mistake("names_no_error_class", "at $.error.class: 'ValueError' is not one of"),
        Mistake("names_another_step", "the program has no step 'value.other'"),
        Mistake("lacks_what_it_declares", "a declared step: right only where it is these"),
        Mistake("closes_stdout", "it closed its stdout and lives on", deadline=0.3)],
    "where_a_step_is_lacking_or_fails": [
        Mistake("fakes_every_step", "unknown step: wanted unsupported, got",
                "failing step: wanted the error InvalidArgument at value.fail, got")],
    "at_its_end": [
        Mistake("keeps_running", "stop: it lives on", deadline=1.5),
        Mistake("fails_to_stop", "stop: it ended with status 7"),
        Mistake("says_goodbye", "stop: a line that nobody asked for"),
        Mistake("takes_any_command", "unknown command: it lives on", deadline=1.5)],
}


class MistakesTest(unittest.TestCase):
    """Each miniature makes its mistake in every program."""

    @classmethod
    def setUpClass(cls):
        os.environ["TROUBLE"] = ""
        cls.addClassCleanup(os.environ.pop, "TROUBLE")
        pool = futures.ThreadPoolExecutor(16)  # they wait more than they compute
        cls.addClassCleanup(pool.shutdown)
        cls.runs = {
            when: [(mistake, pool.submit(run_miniature, mistake)) for mistake in mistakes]
            for when, mistakes in reversed(MISTAKES.items())}  # the last ones wait longest

    def check_told(self, when):
        for mistake, run in self.runs[when]:
            status, said = run.result()
            self.assertEqual(status, 1, said)
            for text in mistake.texts:
                self.assertIn(text, said)

    def test_at_its_start(self):
        self.check_told("at_its_start")

    def test_in_a_program(self):
        self.check_told("in_a_program")

    def test_where_a_step_is_lacking_or_fails(self):
        self.check_told("where_a_step_is_lacking_or_fails")

    def test_at_its_end(self):
        self.check_told("at_its_end")


if __name__ == "__main__":
    xml_unittest.main()
