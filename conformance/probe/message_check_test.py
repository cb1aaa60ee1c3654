"""What is no message is refused, with its place and with what to do."""
import pathlib

from conformance.probe import message_check
from tools import xml_unittest
import unittest

SCHEMAS = message_check.MessageSchemas(pathlib.Path("conformance/schemas/pipe"))
REPLY = {"seq": 1, "observations": {"x": [1, "NaN", None, {"y": True}]}}
ERROR = {"class": "NotFound", "message": "no file", "at_step": "data.open"}
DECLARATION = {
    "version": 1, "name": "minimal", "implementation": "Minimal 1", "language": "python",
    "devices": ["CPU"], "conventions": {"remainder": "split"}, "steps": ["value.show"],
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
        self.assert_refused(b"Epoch 1/10", "the line is no JSON: Expecting value")
        self.assert_refused(b"", "no JSON")
        self.assert_refused(b'"gr\xfcn"', "no UTF-8")
        self.assert_refused(b"[" * 100_000, "no JSON")

    def test_numbers_that_json_lacks_are_refused(self):
        self.assert_refused(b'{"x": NaN}', 'write it as the text "NaN"')
        self.assert_refused(b'{"x": -Infinity}', 'write it as the text "-Infinity"')

    def test_a_field_twice_is_refused(self):
        self.assert_refused(b'{"seq": 1, "seq": 2}', "'seq' stands in one object twice")

    def test_numbers_that_no_double_holds_are_refused(self):
        self.assert_refused(b'{"x": 1e400}', "no double holds 1e400")
        self.assert_refused(b'{"x": -1' + b"0" * 400 + b"}", "no double holds -1000")
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
                ("run", {"cmd": "run", "seq": 1, "case": "a/b/c",
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


if __name__ == "__main__":
    xml_unittest.main()
