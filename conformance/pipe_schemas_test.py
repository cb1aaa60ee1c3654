"""Holds the schemas of the pipe protocol against the session that docs/protocol.md shows, and wrong messages."""

import json
import pathlib
import re
import unittest

import jsonschema

from tools import xml_unittest

DOCUMENT = pathlib.Path("docs/protocol.md").read_text(encoding="utf-8")
REPLY = {"seq": 1, "observations": {"x": [1, "NaN", None, {"y": True}]}}
ERROR = {"class": "NotFound", "message": "no file", "at_step": "data.open"}
DECLARATION = {
    "version": 1,
    "name": "minimal",
    "implementation": "Minimal 1",
    "language": "python",
    "devices": ["CPU"],
    "conventions": {"end_of_data": "split"},
    "steps": ["value.show"],
}


def validator(kind):
    schema = json.loads(pathlib.Path(f"conformance/schemas/pipe/{kind}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


SCHEMAS = {kind: validator(kind) for kind in ("start", "declaration", "run", "reply", "stop")}


def session():
    """(kind, message) in the order of the document."""
    block = DOCUMENT.split("## A session")[1].split("\n## ")[0]
    lines = "".join(line[4:] + "\n" for line in block.split("\n") if line.startswith("    "))
    for arrow, text in re.findall(r"^(->|<-) (\{.*?\})$(?=\n[-<(])", lines, re.MULTILINE | re.DOTALL):
        message = json.loads(text.replace("\n", " "))
        yield message["cmd"] if arrow == "->" else "declaration" if "version" in message else "reply", message


def without(message, field):
    return {key: value for key, value in message.items() if key != field}


class PipeSchemasTest(unittest.TestCase):
    def assert_refused(self, kind, message, place, rule):
        (error,) = SCHEMAS[kind].iter_errors(message)
        self.assertEqual((error.json_path, error.validator), (place, rule))

    def test_the_session_holds_to_them(self):
        messages = list(session())
        self.assertEqual(
            [kind for kind, _ in messages],
            ["start", "declaration", "run", "reply", "run", "reply", "run", "reply", "stop"],
        )
        for kind, message in messages:
            SCHEMAS[kind].validate(message)

    def test_right_messages_pass(self):
        for kind, message in [
            ("start", {"cmd": "start", "version": 1}),
            ("stop", {"cmd": "stop"}),
            ("declaration", DECLARATION),
            ("declaration", {**DECLARATION, "conventions": {}}),
            ("reply", REPLY),
            ("reply", {"seq": 1, "error": ERROR}),
            ("reply", {"seq": 1, "unsupported": {"step": "a.b", "reason": "no b"}}),
            (
                "run",
                {
                    "cmd": "run",
                    "seq": 1,
                    "token": "a1b2",
                    "given": {"strategy": "mirrored", "replicas": 2},
                    "program": [{"step": "a.b", "program": [{"step": "c.d"}]}],
                },
            ),
        ]:
            SCHEMAS[kind].validate(message)

    def test_every_field_is_wanted(self):
        for kind, message in [("declaration", DECLARATION), ("reply", REPLY)]:
            for field in message:
                self.assertFalse(SCHEMAS[kind].is_valid(without(message, field)), field)
        for field in ERROR:
            self.assertFalse(SCHEMAS["reply"].is_valid({"seq": 1, "error": without(ERROR, field)}), field)

    def test_unknown_fields_are_refused(self):
        self.assert_refused("declaration", {**DECLARATION, "os": "Linux"}, "$", "additionalProperties")
        self.assert_refused("reply", {**REPLY, "time": 1}, "$", "additionalProperties")

    def test_wrong_values_are_refused_where_they_stand(self):
        self.assert_refused("reply", {"seq": 1, "error": {**ERROR, "class": "ValueError"}}, "$.error.class", "enum")
        self.assert_refused("declaration", {**DECLARATION, "steps": ["range"]}, "$.steps[0]", "pattern")
        self.assert_refused("declaration", {**DECLARATION, "version": 2}, "$.version", "const")
        self.assert_refused("reply", {**REPLY, "seq": "1"}, "$.seq", "type")

    def test_a_reply_says_one_thing(self):
        self.assert_refused("reply", {**REPLY, "error": ERROR}, "$", "oneOf")
        self.assert_refused("reply", {"seq": 1}, "$", "oneOf")


if __name__ == "__main__":
    xml_unittest.main()
