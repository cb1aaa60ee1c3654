"""docs/protocol.md shows what is: its session holds to the schemas, its testee is the one tested."""
import pathlib
import re
import unittest

from conformance.probe import message_check
from conformance.probe import programs
from conformance.probe import reply_check
from tools import xml_unittest

DOCUMENT = pathlib.Path("docs/protocol.md").read_text(encoding="utf-8")
SCHEMAS = message_check.MessageSchemas("conformance/schemas/pipe")


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
        cases = {case["id"]: case for case in programs.load_cases("conformance/cases")}
        runs = [message for _, message in session() if message.get("cmd") == "run"]
        for message in runs:
            case = cases[message["case"]]
            self.assertEqual(message["program"], case["program"])
            self.assertEqual(message["given"], programs.given_once(case["given"]))

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
