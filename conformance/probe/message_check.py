"""Holds lines of a testee against the schemas of the pipe protocol."""
import collections
import json
import math
import pathlib

import jsonschema

from conformance.probe import testee_process

# What is wrong, where it stands, and what to do next.
Problem = collections.namedtuple("Problem", ["what", "advice"])

KEEP_STDOUT_CLEAN = (
    "print nothing but messages to stdout; have prints and logs of libraries go to stderr "
    "(docs/protocol.md, 'Keep stdout clean')")
DEEPEST = 100  # docs/protocol.md, as
MOST_FIELDS = 1000
ONE_LINE = "write each message as one line of JSON with a line end, and flush"


class NotJson(ValueError):
    pass


def _refuse_constant(name):
    raise NotJson(f'{name} is no JSON; write it as the text "{name}"')


def _refuse_twins(pairs):
    if len(pairs) > MOST_FIELDS:
        raise NotJson(f"an object has more than {MOST_FIELDS} fields")
    names = collections.Counter(name for name, _ in pairs)
    for name, count in names.items():
        if count > 1:
            raise NotJson(f"the field {name!r} stands in one object twice")
    return dict(pairs)


def _number(kind):
    """Reads a number, and refuses one that is beyond what a double holds."""
    def read(text):
        if math.isinf(float(text)):
            raise NotJson(f"no double holds {text[:40]}: a reader of JSON may give up")
        return kind(text)
    return read


def _refuse_depth(message):
    """Lists and objects in more levels than a message may have."""
    level, depth = [message], 0
    while level := [item for item in level if isinstance(item, (list, dict))]:
        depth += 1
        if depth > DEEPEST:
            raise NotJson(f"the message is nested deeper than {DEEPEST} levels")
        level = [inner for item in level
                 for inner in (item.values() if isinstance(item, dict) else item)]


def parse(line):
    """(message, problems) of a line of bytes; the message is None when it is no JSON."""
    if len(line) > testee_process.LONGEST_LINE:
        what = f"the line has more than {testee_process.LONGEST_LINE} bytes"
        return None, [Problem(what, ONE_LINE)]
    try:
        message = json.loads(
            line.decode(), parse_constant=_refuse_constant, object_pairs_hook=_refuse_twins,
            parse_float=_number(float), parse_int=_number(int))
        json.dumps(message, ensure_ascii=False).encode()  # half of a surrogate pair is no text
        _refuse_depth(message)
        return message, []
    except UnicodeDecodeError as error:
        return None, [Problem(f"the line is no UTF-8: {error}", "encode messages as UTF-8")]
    except NotJson as error:
        return None, [Problem(str(error), "see docs/protocol.md, 'Values'")]
    except UnicodeEncodeError:
        return None, [Problem("a text has half of a surrogate pair (\\ud800 to \\udfff)",
                              "write both halves, or the character itself")]
    except (ValueError, RecursionError) as error:
        return None, [Problem(f"the line is no JSON: {error}", KEEP_STDOUT_CLEAN)]


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
