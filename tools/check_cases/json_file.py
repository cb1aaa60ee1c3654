"""A JSON file of conformance/ held against its schema and its form."""

import json
import os

import jsonschema

from tools.check_cases import case_format


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as stream:
        return stream.read()


def schema_problems(document, schema, path):
    """One text an error, with its place in the file."""
    errors = jsonschema.Draft7Validator(schema).iter_errors(document)
    return [
        "%s: at %s: %s"
        % (path, "".join("[%s]" % json.dumps(step) for step in error.absolute_path), error.message[:200])
        for error in sorted(errors, key=str)
    ]


def load_checked(root, path, schema_path):
    """(document, problems); the document is to be looked at only without problems."""
    text = read(root, path)
    try:
        document = case_format.load(text)
    except ValueError as error:
        return None, ["%s: %s" % (path, error)]
    problems = schema_problems(document, case_format.load(read(root, schema_path)), path)
    if not problems and text != case_format.dump(document):
        problems.append("%s: not written as the tool writes it: ./bazelw run //tools/check_cases -- --fix" % path)
    return document, problems
