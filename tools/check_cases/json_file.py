"""Checks a JSON file of conformance/ against its schema and its form."""

import os

from reports.json_schema import Schema
from tools.check_cases import case_format


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as stream:
        return stream.read()


def load_checked(root, path, schema_path):
    """(document, problems); the document is to be looked at only without problems."""
    text = read(root, path)
    try:
        document = case_format.load(text)
    except ValueError as error:
        return None, ["%s: %s" % (path, error)]
    misfits = Schema(case_format.load(read(root, schema_path))).misfits(document)
    problems = ["%s: at %s" % (path, misfit) for misfit in misfits]
    if not problems and text != case_format.dump(document):
        problems.append("%s: not written as the tool writes it: ./bazelw run //tools/check_cases -- --fix" % path)
    return document, problems
