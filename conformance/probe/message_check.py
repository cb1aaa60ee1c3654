"""Holds lines of a testee against the schemas of the pipe protocol."""
import collections
import json
import pathlib

import jsonschema

from conformance.probe import testee_process
from reports import json_text

# What is wrong, where it stands, and what to do next.
Problem = collections.namedtuple("Problem", ["what", "advice"])

KEEP_STDOUT_CLEAN = (
    "print nothing but messages to stdout; have prints and logs of libraries go to stderr "
    "(docs/protocol.md, 'Keep stdout clean')")
DEEPEST = 100  # docs/protocol.md, as
MOST_FIELDS = 1000
SEE_VALUES = "see docs/protocol.md, 'Values': what JSON lacks is a text, as \"NaN\""
ONE_LINE = "write each message as one line of JSON with a line end, and flush"


def parse(line):
    """(message, problems) of a line of bytes; the message is None when it is no JSON."""
    if len(line) > testee_process.LONGEST_LINE:
        what = f"the line has more than {testee_process.LONGEST_LINE} bytes"
        return None, [Problem(what, ONE_LINE)]
    try:
        return json_text.parse(line, deepest=DEEPEST, most_fields=MOST_FIELDS), []
    except json_text.NotUtf8 as error:
        return None, [Problem(f"the line is {error}", "encode messages as UTF-8")]
    except json_text.NotJson as error:
        return None, [Problem(f"the line is {error}", KEEP_STDOUT_CLEAN)]
    except json_text.JsonError as error:
        return None, [Problem(str(error), SEE_VALUES)]


class MessageSchemas:
    """The schemas of a folder, by their files' names: "declaration", "reply", ..."""

    def __init__(self, folder):
        self._validators = {}
        for path in sorted(pathlib.Path(folder).glob("*.schema.json")):
            schema = json.loads(path.read_text(encoding="utf-8"))
            jsonschema.Draft7Validator.check_schema(schema)
            name = path.name.removesuffix(".schema.json")
            self._validators[name] = jsonschema.Draft7Validator(schema)

    def problems(self, kind, message):
        """One Problem for each place of the message that its schema forbids."""
        errors = self._validators[kind].iter_errors(message)
        return [_problem(error) for error in sorted(errors, key=lambda e: e.json_path)]


def _problem(error):
    what = error.message
    if error.validator == "oneOf":
        what = "wanted exactly one of " + ", ".join(s["required"][0] for s in error.validator_value)
    elif len(what) > 300:
        what = what[:300] + "..."
    advice = error.schema.get("description") or "see docs/protocol.md, 'Messages'"
    return Problem(f"at {error.json_path}: {what}", f"wanted: {advice}")
