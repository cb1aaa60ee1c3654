import json
import os
import signal
import subprocess
import sys
import unittest

from conformance.testees.python import miniature_testee, protocol
from tools import xml_unittest

START = {"cmd": "start", "version": 1}
STOP = {"cmd": "stop"}


def run(seq, *program):
    given = {"strategy": "mirrored", "replicas": 2}
    return {"cmd": "run", "seq": seq, "case": "c", "given": given, "program": program}


def talk(messages, *arguments):
    """The finished testee that was told these messages."""
    return subprocess.run(
        [sys.executable, miniature_testee.__file__, *arguments],
        input="".join(json.dumps(message) + "\n" for message in messages),
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
    )


def replies_of(finished):
    return [json.loads(line) for line in finished.stdout.splitlines()]


SHOW_RUNS = {"observe": "runs", "step": "value.show", "of": "runs"}
CREATE = {"step": "variable.create", "value": 1}


class OwnAnswer(miniature_testee.Miniature):
    """A testee whose replicas are processes answers for all of them."""

    def answer(self, request):
        return {"observations": {"own": request["case"]}}


class ProtocolTest(unittest.TestCase):
    def test_a_testee_may_answer_by_itself(self):
        for forks in (False, True):
            with self.subTest(forks=forks):
                reply = protocol.reply_to(OwnAnswer(forks), run(3, SHOW_RUNS))
                self.assertEqual(reply, {"seq": 3, "observations": {"own": "c"}})

    def test_start_tells_what_the_testee_is(self):
        finished = talk([START, STOP])
        self.assertEqual(finished.returncode, 0, finished.stderr)
        (introduction,) = replies_of(finished)
        self.assertEqual(introduction["version"], 1)
        self.assertEqual(introduction["name"], "miniature")
        self.assertEqual(introduction["conventions"], {"gradient_combination": "mean"})
        self.assertIn("program.repeat", introduction["steps"])
        self.assertNotIn("strategy.gather", introduction["steps"])

    def test_replies_carry_the_number_of_their_request(self):
        replies = replies_of(talk([run(7, SHOW_RUNS), run(9, SHOW_RUNS), STOP]))
        expected = [{"seq": 7, "observations": {"runs": 1}}]
        expected.append({"seq": 9, "observations": {"runs": 2}})
        self.assertEqual(replies, expected)

    def test_what_is_printed_goes_to_stderr(self):
        finished = talk([run(1, CREATE), STOP])
        self.assertEqual(replies_of(finished), [{"seq": 1, "observations": {}}])
        self.assertEqual(finished.stderr.count("what a framework prints"), 1)

    def test_end_of_the_requests_without_a_stop_is_no_success(self):
        self.assertEqual(talk([run(1, CREATE)]).returncode, 1)

    def test_unknown_command_is_an_error(self):
        finished = talk([{"cmd": "dance"}])
        self.assertNotEqual(finished.returncode, 0)
        self.assertIn("got dance", finished.stderr)


class ForkedProtocolTest(unittest.TestCase):
    def test_nothing_is_left_behind_by_a_program(self):
        messages = [run(1, SHOW_RUNS), run(2, SHOW_RUNS), STOP]
        replies = replies_of(talk(messages, "--forks"))
        self.assertEqual([r["observations"]["runs"] for r in replies], [1, 1])

    def test_output_of_the_child_goes_to_stderr_once(self):
        finished = talk([run(1, CREATE), run(2, SHOW_RUNS), STOP], "--forks")
        self.assertEqual(len(replies_of(finished)), 2)
        self.assertEqual(finished.stderr.count("what a framework prints"), 1)

    def test_crash_of_the_child_is_the_testee_s(self):
        finished = talk([run(1, {"step": "process.abort"}), STOP], "--forks")
        self.assertEqual(finished.returncode, -signal.SIGABRT)
        self.assertEqual(finished.stdout, "")

    def test_exit_of_the_child_is_the_testee_s(self):
        message = run(1, {"step": "process.exit", "status": 3})
        self.assertEqual(talk([message, STOP], "--forks").returncode, 3)

    def test_senseless_program_is_explained_on_stderr(self):
        finished = talk([run(1, {"step": "value.show"}), STOP], "--forks")
        self.assertEqual(finished.returncode, 1)
        self.assertIn("value.show lacks the argument 'of'", finished.stderr)


if __name__ == "__main__":
    xml_unittest.main()
