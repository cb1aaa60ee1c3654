"""Strict JSON for untrusted input. Needs the standard library only.

json_text.parse('{"a": [1, 2.5]}')   # {'a': [1, 2.5]}
json_text.parse('{"a": NaN}')        # JsonError: NaN is not JSON; wanted a number, or null
json_text.parse('1e308', figures=True)
                                     # JsonError: the number 1e308 is no figure; wanted 0, or 1e-100 to 1e+100 ...
"""

import collections
import json
import math

# As reference/base/json.h has it: copying or printing deeper values could exhaust the stack.
DEEPEST = 200
_TOO_DEEP = f"nested deeper than {DEEPEST} levels"
# No time, size or rate is beyond it or, unless 0, below its inverse: products and ratios of a few stay finite.
LARGEST_FIGURE = 1e100
# Of a number, as shown in messages.
_SHOWN = 40


class JsonError(ValueError):
    """A text that is refused. The message says why; the caller prepends where the text is from."""


class NotJson(JsonError):
    """It is not JSON at all."""


def parse(text, figures=False, constants=False):
    """The value of `text`, a str or bytes in UTF-8.

    `figures`: its numbers were measured. `constants`: NaN and infinities are taken, as Google Benchmark writes them of
    counters; the caller refuses those that it uses. Errors: JsonError for what is not JSON, and for what another
    reader would take for something else or fail at: NaN and infinities, a number that no double holds (with `figures`,
    one that is no figure either), a duplicate field, half of a surrogate pair, lists and objects in more than DEEPEST
    levels.
    """
    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
        value = json.loads(
            decoded,
            parse_constant=float if constants else _refuse_constant,
            object_pairs_hook=_fields,
            parse_float=_number(float, figures),
            parse_int=_number(int, figures),
        )
    except JsonError:
        raise
    except UnicodeDecodeError as error:
        raise NotJson(f"no UTF-8: {error}") from None
    except RecursionError:
        raise JsonError(_TOO_DEEP) from None
    except ValueError as error:
        raise NotJson(f"not JSON: {error}") from None
    _check_depth(value)
    _check_texts(decoded, value)
    return value


def _refuse_constant(name):
    raise JsonError(f"{name} is not JSON; wanted a number, or null")


def _fields(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        [(name, _)] = collections.Counter(name for name, _ in pairs).most_common(1)
        raise JsonError(f"duplicate field {name!r} in an object")
    return found


def _number(kind, figures):
    def read(text):
        size = abs(float(text))
        if math.isinf(size):
            raise JsonError(f"no double holds the number {_short(text)}")
        if figures and size and not 1 / LARGEST_FIGURE <= size <= LARGEST_FIGURE:
            raise JsonError(
                f"the number {_short(text)} is no figure; wanted 0, or {1 / LARGEST_FIGURE:g} to "
                f"{LARGEST_FIGURE:g} with either sign"
            )
        return kind(text)

    return read


def _short(text):
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def _check_depth(value):
    """Level by level: a function that calls itself could not look deep enough."""
    level, depth = [value], 0
    while level := [item for item in level if isinstance(item, (list, dict))]:
        depth += 1
        if depth > DEEPEST:
            raise JsonError(_TOO_DEEP)
        level = [inner for item in level for inner in (item.values() if isinstance(item, dict) else item)]


def _check_texts(text, value):
    """Half of a surrogate pair cannot be written anywhere: it comes by an escape, or in a text that was no UTF-8."""
    try:
        text.encode()
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise JsonError("a text has half of a surrogate pair (\\ud800 to \\udfff)") from None
