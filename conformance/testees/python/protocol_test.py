"""What goes over the pipe: commands, errors and observations."""

import json
import signal
import struct
import subprocess
import sys
import unittest

from conformance.testees.python import miniature_testee, protocol
from conformance.testees.python.errors import PYTHON_CLASSES, class_of
from conformance.testees.python.observation import observation_of
from tools import xml_unittest

START = {"cmd": "start", "version": 1}
STOP = {"cmd": "stop"}


def run(seq, *program):
    given = {"strategy": "mirrored", "replicas": 2}
    return {"cmd": "run", "seq": seq, "token": "c", "given": given, "program": program}


def talk(messages, *arguments):
    """The finished testee that read these messages."""
    return subprocess.run(
        [sys.executable, "-m", miniature_testee.__name__, *arguments],
        input="".join(json.dumps(message) + "\n" for message in messages),
        check=False,
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
        return {"observations": {"own": request["token"]}}


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

    def test_a_reply_that_no_message_can_hold_is_an_error(self):
        class Observes(miniature_testee.Miniature):
            def answer(self, request):
                return {"observations": {"x": request["token"]}}

        around = len('{"seq": 1, "observations": {"x": ""}}')
        longest = (16 << 20) - around
        reply = protocol.reply_to(Observes(), {**run(1), "token": "x" * longest})
        self.assertEqual(len(json.dumps(reply)), 16 << 20)
        self.assertIn("observations", reply)
        reply = protocol.reply_to(Observes(), {**run(1), "token": "x" * (longest + 1)})
        self.assertEqual(reply["error"]["class"], "ResourceExhausted")
        self.assertEqual(reply["error"]["at_step"], "testee")
        self.assertIn("16777217 bytes", reply["error"]["message"])
        reply = protocol.reply_to(Observes(), {**run(1), "token": float("nan")})
        self.assertEqual(reply["error"]["class"], "Internal")

    def test_unknown_command_is_an_error(self):
        finished = talk([{"cmd": "dance"}])
        self.assertNotEqual(finished.returncode, 0)
        self.assertIn("got dance", finished.stderr)


class LimitsTest(unittest.TestCase):
    def assert_refused(self, message, words):
        for forks in (False, True):
            reply = protocol.reply_to(miniature_testee.Miniature(forks), message)
            self.assertEqual(reply["error"]["class"], "Internal")
            self.assertEqual(reply["error"]["at_step"], "testee")
            self.assertIn(words, reply["error"]["message"])

    def test_more_replicas_than_a_program_may_have(self):
        for count in (0, -1, 65, 100_000):
            given = {"strategy": "mirrored", "replicas": count}
            self.assert_refused({**run(1, CREATE), "given": given}, f"got {count}")
        given = {"strategy": "mirrored", "replicas": 64}
        reply = protocol.reply_to(miniature_testee.Miniature(), {**run(1, CREATE), "given": given})
        self.assertEqual(reply, {"seq": 1, "observations": {}})

    def test_rounds_that_no_program_may_have(self):
        for times in (-1, 1_000_001, 1 << 63):
            repeat = {"step": "program.repeat", "times": times, "program": [CREATE]}
            self.assert_refused(run(1, repeat), f"got {times}")


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

    def test_what_no_program_may_say_is_an_internal_error(self):
        senseless = run(1, {"step": "value.show"})
        for arguments in ((), ("--forks",)):
            finished = talk([senseless, run(2, CREATE), STOP], *arguments)
            self.assertEqual(finished.returncode, 0, finished.stderr)
            error = "ProgramError: value.show lacks the argument 'of'"
            expected = {"class": "Internal", "message": error, "at_step": "testee"}
            replies = [{"seq": 1, "error": expected}, {"seq": 2, "observations": {}}]
            self.assertEqual(replies_of(finished), replies)
            self.assertIn(error, finished.stderr)


class ClassOfTest(unittest.TestCase):
    def test_exceptions_of_python_have_the_documented_classes(self):
        expected = {
            ValueError: "InvalidArgument",
            TypeError: "InvalidArgument",
            AssertionError: "InvalidArgument",
            StopIteration: "OutOfRange",
            RuntimeError: "FailedPrecondition",
            FileNotFoundError: "NotFound",
            NotImplementedError: "Unimplemented",
        }
        for exception, name in expected.items():
            with self.subTest(exception):
                self.assertEqual(class_of(exception("text")), name)

    def test_an_exception_that_says_nothing_is_internal(self):
        for exception in (IndexError, AttributeError, KeyError, OSError):
            with self.subTest(exception):
                self.assertEqual(class_of(exception("text")), "Internal")

    def test_a_framework_s_own_come_first(self):
        class OwnError(ValueError):
            pass

        classes = ((OwnError, "DataLoss"), *PYTHON_CLASSES)
        self.assertEqual(class_of(OwnError(), classes), "DataLoss")
        self.assertEqual(class_of(ValueError(), classes), "InvalidArgument")


class Tensor:
    def __init__(self, held):
        self.held = held


def plain(tensor):
    return tensor.held


class ObservationTest(unittest.TestCase):
    def observe(self, value):
        return observation_of(value, plain)

    def test_numbers_texts_and_nothing_are_themselves(self):
        for value in (None, True, 2**53 + 1, -3, 0.5, "text"):
            with self.subTest(value):
                observed = self.observe(value)
                self.assertEqual(observed, value)
                self.assertIs(type(observed), type(value))

    def test_float32_is_the_double_it_equals(self):
        (tenth,) = struct.unpack("f", struct.pack("f", 0.1))
        text = json.dumps(self.observe(Tensor(tenth)))
        self.assertEqual(text, "0.10000000149011612")

    def test_what_json_lacks_is_text(self):
        values = [float("nan"), float("inf"), -float("inf")]
        expected = ["NaN", "Infinity", "-Infinity"]
        self.assertEqual(self.observe(values), expected)

    def test_tuples_are_lists_and_bytes_are_texts(self):
        self.assertEqual(self.observe((b"caf\xc3\xa9", [1])), ["caf\u00e9", [1]])

    def test_own_values_are_asked_for_wherever_they_stand(self):
        value = {"x": (Tensor([1, 2]), Tensor(None)), 3: Tensor([Tensor(4)])}
        self.assertEqual(self.observe(value), {"x": [[1, 2], None], "3": [4]})


if __name__ == "__main__":
    xml_unittest.main()
