"""What the probe is made of: messages and replies checked, programs chosen, testees found."""
import json
import os
import pathlib
import re
import unittest

from conformance.probe import message_check
from conformance.probe import programs
from conformance.probe import reply_check
from conformance.probe import testee_command
from tools import xml_unittest


SCHEMAS = message_check.MessageSchemas(pathlib.Path("conformance/schemas/pipe"))
REPLY = {"seq": 1, "observations": {"x": [1, "NaN", None, {"y": True}]}}
ERROR = {"class": "NotFound", "message": "no file", "at_step": "data.open"}
DECLARATION = {
    "version": 1, "name": "minimal", "implementation": "Minimal 1", "language": "python",
    "devices": ["CPU"], "conventions": {"end_of_data": "split"}, "steps": ["value.show"],
}


class ParseTest(unittest.TestCase):

    def assert_refused(self, line, word):
        message, problems = message_check.parse(line)
        self.assertIsNone(message)
        self.assertEqual(len(problems), 1)
        self.assertIn(word, problems[0].what)
        self.assertTrue(problems[0].advice)

    def test_json_is_read(self):
        self.assertEqual(message_check.parse(b'{"x": [1]}'), ({"x": [1]}, []))

    def test_what_is_no_json_is_refused(self):
        self.assert_refused(b"Epoch 1/10", "the line is not JSON: Expecting value")
        self.assert_refused(b"", "not JSON")
        self.assert_refused(b'"gr\xfcn"', "no UTF-8")
        self.assert_refused(b"[" * 100_000, "nested deeper than 100 levels")

    def test_numbers_that_json_lacks_are_refused(self):
        self.assert_refused(b'{"x": NaN}', 'NaN is no JSON')
        self.assert_refused(b'{"x": -Infinity}', '-Infinity is no JSON')

    def test_a_field_twice_is_refused(self):
        self.assert_refused(b'{"seq": 1, "seq": 2}', "'seq' stands in one object twice")

    def test_numbers_that_no_double_holds_are_refused(self):
        self.assert_refused(b'{"x": 1e400}', "no double holds the number 1e400")
        self.assert_refused(b'{"x": -1' + b"0" * 400 + b"}", "no double holds the number -1000")
        big = b'{"x": [1.7e308, 18446744073709551616, 5e-400]}'
        self.assertEqual(
            message_check.parse(big), ({"x": [1.7e308, 18446744073709551616, 0.0]}, []))

    def test_depth_beyond_that_of_messages_is_refused(self):
        self.assertEqual(message_check.parse(b"[" * 100 + b"]" * 100)[1], [])
        self.assert_refused(b"[" * 101 + b"]" * 101, "nested deeper than 100 levels")
        self.assert_refused(b'{"x":' * 101 + b"1" + b"}" * 101, "nested deeper than 100 levels")

    def test_more_fields_than_an_object_may_have_are_refused(self):
        fields = ",".join(f'"x{i}": 1' for i in range(1001)).encode()
        self.assert_refused(b"{" + fields + b"}", "more than 1000 fields")

    def test_half_a_character_is_refused(self):
        self.assert_refused(b'{"x": "\\ud800"}', "half of a surrogate pair")
        self.assertEqual(message_check.parse(b'"\\ud83d\\ude00"'), ("\U0001f600", []))

    def test_too_long_a_line_is_refused(self):
        self.assert_refused(b"x" * ((16 << 20) + 1), "more than 16777216 bytes")


class MessageSchemasTest(unittest.TestCase):

    def problems(self, kind, message):
        return SCHEMAS.problems(kind, message)

    def assert_refused(self, kind, message, what, advice=""):
        problems = self.problems(kind, message)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(what, problems[0].what)
        self.assertIn(advice, problems[0].advice)

    def test_right_messages_pass(self):
        for kind, message in [
                ("start", {"cmd": "start", "version": 1}), ("stop", {"cmd": "stop"}),
                ("declaration", DECLARATION), ("declaration", {**DECLARATION, "conventions": {}}),
                ("reply", REPLY), ("reply", {"seq": 1, "error": ERROR}),
                ("reply", {"seq": 1, "unsupported": {"step": "a.b", "reason": "no b"}}),
                ("run", {"cmd": "run", "seq": 1, "token": "a1b2",
                         "given": {"strategy": "mirrored", "replicas": 2},
                         "program": [{"step": "a.b", "program": [{"step": "c.d"}]}]})]:
            self.assertEqual(self.problems(kind, message), [], message)

    def test_every_field_is_wanted(self):
        for kind, message in [("declaration", DECLARATION), ("reply", REPLY)]:
            for field in message:
                without = {key: value for key, value in message.items() if key != field}
                self.assertNotEqual(self.problems(kind, without), [], field)
        for field in ERROR:
            without = {key: value for key, value in ERROR.items() if key != field}
            self.assertNotEqual(self.problems("reply", {"seq": 1, "error": without}), [], field)

    def test_unknown_fields_are_refused(self):
        self.assert_refused("declaration", {**DECLARATION, "os": "Linux"}, "'os' was unexpected")
        self.assert_refused("reply", {**REPLY, "time": 1}, "'time' was unexpected")

    def test_the_place_and_what_is_wanted_are_told(self):
        self.assert_refused(
            "reply", {"seq": 1, "error": {**ERROR, "class": "ValueError"}},
            "at $.error.class: 'ValueError' is not one of", "error classes of operations.md")
        self.assert_refused(
            "declaration", {**DECLARATION, "steps": ["range"]}, "at $.steps[0]: 'range'")
        self.assert_refused(
            "declaration", {**DECLARATION, "version": 2}, "at $.version: 1 was expected")
        self.assert_refused("reply", {**REPLY, "seq": "1"}, "at $.seq: '1' is not of type")

    def test_a_reply_says_one_thing(self):
        self.assert_refused("reply", {**REPLY, "error": ERROR},
                            "wanted exactly one of observations, error, unsupported")
        self.assert_refused("reply", {"seq": 1}, "wanted exactly one of")


PROGRAM = [{"step": "a.a", "observe": "x", "program": [{"step": "a.b", "observe": "y"}]}]


class ReplyCheckTest(unittest.TestCase):

    def problems(self, **reply):
        found = reply_check.problems({"seq": 3, **reply}, 3, PROGRAM)
        return [problem.what for problem in found]

    def test_right_replies_pass(self):
        for reply in [{"observations": {"x": 1, "y": []}},
                      {"error": {"class": "Internal", "message": "", "at_step": "a.b"}},
                      {"unsupported": {"step": "a.b", "reason": "no b"}}]:
            self.assertEqual(self.problems(**reply), [])

    def test_seq_is_that_of_the_program(self):
        found = reply_check.problems(
            {"seq": 2, "observations": {"x": 1, "y": 2}}, 3, PROGRAM)
        self.assertEqual([p.what for p in found], ["at $.seq: 2, but the program came with 3"])

    def test_all_is_observed_and_no_more(self):
        self.assertEqual(self.problems(observations={"x": 1, "z": 2}), [
            "at $.observations: 'y' is missing, though the program ran to its end",
            "at $.observations: no step of the program observes 'z'"])

    def test_steps_are_those_of_the_program(self):
        error = {"class": "Internal", "message": "", "at_step": "a.c"}
        self.assertEqual(self.problems(error=error),
                         ["at $.error.at_step: the program has no step 'a.c'"])
        self.assertEqual(self.problems(unsupported={"step": "b", "reason": "no b"}),
                         ["at $.unsupported.step: the program has no step 'b'"])

    def test_a_mistake_of_the_testee_is_one(self):
        error = {"class": "Internal", "message": "no key 'x'", "at_step": "testee"}
        self.assertEqual(self.problems(error=error),
                         ["the testee itself failed: Internal: no key 'x'"])


def case(identity, *steps):
    return {"id": identity, "given": {"strategy": "default"},
            "program": [{"step": step} for step in steps]}


class ProgramsTest(unittest.TestCase):

    def test_short_cases_of_declared_steps_are_chosen(self):
        cases = [case("long", "a.a", "a.b", "a.b"), case("short", "a.b"),
                 case("undeclared", "a.a", "a.c"), case("both", "a.a", "a.b")]
        chosen, left_over = programs.choose(cases, ["a.a", "a.b", "a.d"])
        self.assertEqual([c["id"] for c in chosen], ["both"])
        self.assertEqual(left_over, ["a.d"])

    def test_a_step_in_a_block_counts(self):
        nested = {"id": "nested", "given": {}, "program": [
            {"step": "a.a", "observe": "x", "program": [{"step": "a.b", "observe": "y"}]}]}
        self.assertEqual(programs.step_names(nested["program"]), {"a.a", "a.b"})
        self.assertEqual(programs.observation_names(nested["program"]), {"x", "y"})
        self.assertEqual(programs.choose([nested], ["a.a"]), ([], ["a.a"]))

    def test_a_run_has_one_replica_count(self):
        self.assertEqual(programs.given_once({"strategy": "mirrored", "replicas": [3, 2]}),
                         {"strategy": "mirrored", "replicas": 3})
        self.assertEqual(programs.given_once({"strategy": "default"}), {"strategy": "default"})

    def test_steps_are_the_headings_of_the_document(self):
        path = pathlib.Path(os.environ["TEST_TMPDIR"], "operations.md")
        path.write_text("## a\n### `a.a`\ntext `a.b`\n### `a.c_d`\n", encoding="utf-8")
        self.assertEqual(programs.described_steps(path), {"a.a", "a.c_d"})


class TesteeCommandTest(unittest.TestCase):

    def setUp(self):
        self.names = pathlib.Path(os.environ["TEST_TMPDIR"], "testees.json")
        self.names.write_text(json.dumps({"testees": [
            {"name": "one", "means": "The first.", "command": ["docs/protocol.md", "--fast"]},
            {"name": "two", "means": "The second.", "command": ["bin/two"]}]}), encoding="utf-8")

    def resolve(self, testee, **environment):
        return testee_command.resolve(testee, self.names, environment)

    def test_a_name_is_looked_up(self):
        self.assertEqual(self.resolve("one", BUILD_WORKING_DIRECTORY="/tmp"),
                         [os.path.abspath("docs/protocol.md"), "--fast"])

    def test_files_that_a_command_names_are_those_where_the_user_is(self):
        folder = os.environ["TEST_TMPDIR"]
        for name in ("my testee.py", "plain"):
            pathlib.Path(folder, name).touch()
        self.assertEqual(self.resolve("python3 './my testee.py' plain x.py", BUILD_WORKING_DIRECTORY=folder),
                         ["python3", os.path.join(folder, "my testee.py"), "plain", "x.py"])
        self.assertEqual(self.resolve("./one"), ["./one"])

    def test_another_name_is_unknown(self):
        with self.assertRaisesRegex(testee_command.Unknown,
                                    "no testee 'three', only one, two; a command is"):
            self.resolve("three")


DOCUMENT = pathlib.Path("docs/protocol.md").read_text(encoding="utf-8")


def session():
    """("->" or "<-", message) in the order of the document."""
    block = DOCUMENT.split("## A session")[1].split("\n## ")[0]
    lines = "".join(line[4:] + "\n" for line in block.split("\n") if line.startswith("    "))
    for arrow, text in re.findall(r"^(->|<-) (\{.*?\})$(?=\n[-<(])", lines, re.MULTILINE | re.DOTALL):
        message, problems = message_check.parse(text.replace("\n", " ").encode())
        assert not problems, (text, problems)
        yield arrow, message


class DocumentTest(unittest.TestCase):

    def test_the_session_holds_to_the_schemas(self):
        kinds = []
        for arrow, message in session():
            kind = message["cmd"] if arrow == "->" else (
                "declaration" if "version" in message else "reply")
            kinds.append(kind)
            self.assertEqual(SCHEMAS.problems(kind, message), [], message)
        self.assertEqual(
            kinds, ["start", "declaration", "run", "reply", "run", "reply", "run", "reply", "stop"])

    def test_the_session_puts_built_in_cases(self):
        cases = [(case["program"], programs.given_once(case["given"]))
                 for case in programs.load_cases("conformance/cases")]
        for _, message in session():
            if message.get("cmd") == "run":
                self.assertIn((message["program"], message["given"]), cases)

    def test_the_replies_answer_what_was_asked(self):
        messages = [message for _, message in session()]
        for command, reply in zip(messages[2::2], messages[3::2]):
            self.assertEqual(
                reply_check.problems(reply, command["seq"], command["program"]), [])

    def test_the_testee_is_the_one_that_is_tested(self):
        shown = DOCUMENT.split("```python\n")[1].split("```")[0]
        path = pathlib.Path("conformance/testees/miniatures/minimal.py")
        self.assertEqual(shown, path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    xml_unittest.main()
