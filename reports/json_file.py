"""Reads JSON files from outside: those that reports are made of."""

import json
import math

import jsonschema

from reports import json_text


def _is_finite(_, value):
    """What a schema calls a number: NaN and infinities are none."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and math.isfinite(value)


_VALIDATOR = jsonschema.validators.extend(
    jsonschema.Draft7Validator, type_checker=jsonschema.Draft7Validator.TYPE_CHECKER.redefine("number", _is_finite)
)


class ReportError(ValueError):
    """An input that cannot be reported on; the message names the file and the place."""


def load(path, schema=None, check=None, figures=False, constants=False):
    """Returns the parsed file.

    "-" is the standard input. `schema` is the path of a JSON schema that it has to fit;
    `check` is called before that, with the content and `path`; `figures`: its numbers
    were measured; `constants`: NaN and infinities may be where the schema wants no
    number. Errors: ReportError for a file that cannot be read, that json_text refuses or
    that does not fit, and those of `check`.
    """
    try:
        with open(0 if path == "-" else path, "rb") as file:
            content = json_text.parse(file.read(), figures=figures, constants=constants)
    except OSError as error:
        raise ReportError(f"[load] {path}: {error.strerror}") from error
    except ValueError as error:
        raise ReportError(f"[load] {path}: {error}") from error
    if check:
        check(content, path)
    if schema:
        _check(content, path, load(schema))
    return content


def _check(content, path, schema):
    error = jsonschema.exceptions.best_match(_VALIDATOR(schema).iter_errors(content))
    if error:
        place = "$" + "".join(f"[{json.dumps(step)}]" for step in error.absolute_path)
        raise ReportError(f"[load] {path} at {place}: {error.message[:200]}")
