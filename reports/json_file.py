"""Reads the JSON files that reports are made of."""

import json

import jsonschema


class ReportError(ValueError):
    """An input that cannot be reported on; the message names the file and the place."""


def load(path, schema=None, check=None):
    """Returns the parsed file.

    "-" is the standard input. `schema` is the path of a JSON schema that it has to fit;
    `check` is called before that, with the content and `path`. Errors: ReportError for a
    file that cannot be read, is no JSON or does not fit, and those of `check`.
    """
    try:
        with open(0 if path == "-" else path, encoding="utf-8") as file:
            content = json.load(file)
    except OSError as error:
        raise ReportError(f"[load] {path}: {error.strerror}") from error
    except ValueError as error:
        raise ReportError(f"[load] {path}: not JSON: {error}") from error
    if check:
        check(content, path)
    if schema:
        _check(content, path, load(schema))
    return content


def _check(content, path, schema):
    error = jsonschema.exceptions.best_match(
        jsonschema.Draft7Validator(schema).iter_errors(content)
    )
    if error:
        place = "$" + "".join(f"[{json.dumps(step)}]" for step in error.absolute_path)
        raise ReportError(f"[load] {path} at {place}: {error.message[:200]}")
