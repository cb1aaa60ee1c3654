"""Reads JSON files from outside: those that reports are made of."""

from reports import json_text
from reports.json_schema import Schema


class ReportError(ValueError):
    """An input that cannot be reported on; the message names the file and the place."""


def load(path, schema=None, check=None, figures=False, constants=False):
    """Returns the parsed file.

    "-" is the standard input. `schema` is the path of a JSON schema that it has to fit;
    `check` is called before that, with the content and `path`; `figures`: its numbers
    were measured; `constants`: NaN and infinities may be where the schema forbids a
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
        fit(content, schema, path)
    return content


def fit(content, schema, path):
    """Errors: ReportError where the content of `path` does not fit the schema, a path too."""
    if misfit := Schema(load(schema)).misfit(content):
        raise ReportError(f"[load] {path} at {misfit}")
