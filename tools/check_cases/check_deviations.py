"""Fails where a list of deviations, of scripts or of testees is malformed or names what does not exist.

    ./bazelw run //tools/check_cases:check_deviations       prints one line a problem:
        conformance/deviations/tensorflow.json: input/rebatch/x: there is no such case

Only a run shows whether a deviation still exists: //conformance:run reports it.
"""

import fnmatch
import os
import sys

from tools import placeholder, source_tree
from tools.check_cases import case_files, json_file

FOLDER = "conformance/deviations"
SCHEMA = "conformance/schemas/deviations.schema.json"
DEFECTS_FOLDER = "conformance/defects"
DEFECTS = DEFECTS_FOLDER + "/defects.json"
DEFECTS_SCHEMA = "conformance/schemas/defects.schema.json"
TESTEES = "conformance/testees.json"
TESTEES_SCHEMA = "conformance/schemas/testees.schema.json"
# Reasons are for a reader who meets the deviation; the reference must have none.
WITHOUT_DEVIATIONS = "reference"


def list_files(root):
    folder = os.path.join(root, FOLDER)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return ["%s/%s" % (FOLDER, name) for name in sorted(names) if name.endswith(".json")]


def check(root):
    """Placeholders come first: other problems follow from them."""
    left = placeholder.problems(root, [*list_files(root), DEFECTS, TESTEES])
    return left or _problems(root)


def _problems(root):
    problems, states = _defects(root)
    ids = [case["id"] for case in case_files.all_cases(root)]
    steps = case_files.described_steps(root)
    for path in list_files(root):
        document, found = json_file.load_checked(root, path, SCHEMA)
        problems += found or ["%s: %s" % (path, text) for text in _list_problems(path, document, ids, steps, states)]
    return problems + _testee_problems(root)


def _defects(root):
    """(problems, the state of each script by its path) of the list of scripts."""
    document, problems = json_file.load_checked(root, DEFECTS, DEFECTS_SCHEMA)
    if problems:
        return problems, {}
    listed = [defect["script"] for defect in document]
    place = os.path.join(root, DEFECTS_FOLDER)
    scripts = {
        os.path.join(folder, name)
        for folder in next(os.walk(place))[1]
        for name in os.listdir(os.path.join(place, folder))
        if name.endswith(".py") and name != "__init__.py"
    }
    if listed != sorted(set(listed)):
        problems.append("%s: the scripts are not in order, each once" % DEFECTS)
    problems += ["%s: there is no script %s" % (DEFECTS, name) for name in sorted(set(listed) - scripts)]
    problems += ["%s: does not say what %s shows" % (DEFECTS, name) for name in sorted(scripts - set(listed))]
    problems += [
        "%s: %s is in no folder %s" % (DEFECTS, defect["script"], defect["framework"])
        for defect in document
        if os.path.dirname(defect["script"]) != defect["framework"]
    ]
    return problems, {"%s/%s" % (DEFECTS_FOLDER, defect["script"]): defect["state"] for defect in document}


def _list_problems(path, document, ids, steps, states):
    name = os.path.basename(path)[: -len(".json")]
    entries = document["deviations"]
    if document["implementation"] != name:
        yield "is a list for %s" % document["implementation"]
    if name == WITHOUT_DEVIATIONS and entries:
        yield "the reference passes every case: change it or the case"
    cases, unsupported = [entry["cases"] for entry in entries], [one["steps"] for one in document["unsupported"]]
    for what, lists in (("cases", cases), ("steps", unsupported)):
        if lists != sorted(map(sorted, lists)):
            yield "the %s are not in order" % what
    yield from _case_problems([pattern for patterns in cases for pattern in patterns], ids)
    for pattern in (pattern for patterns in unsupported for pattern in patterns):
        if not any(fnmatch.fnmatchcase(step, pattern) for step in steps):
            yield "%s: there is no such step" % pattern
    for entry in entries:
        if entry.get("script") and states.get(entry["script"]) not in ("open", "by_design"):
            yield "%s: %s has no such script that is open or by_design" % (entry["script"], DEFECTS)


def _case_problems(patterns, ids):
    for case_id in ids:
        matching = [pattern for pattern in patterns if _matches(pattern, case_id)]
        if len(matching) > 1:
            yield "%s is listed twice: %s" % (case_id, ", ".join(matching))
    for pattern in patterns:
        if not any(_matches(pattern, case_id) for case_id in ids):
            yield "%s: there is no such case" % pattern


def _matches(pattern, case_id):
    """As the runner does: * stands for anything but a slash."""
    parts, case_parts = pattern.split("/"), case_id.split("/")
    return len(parts) == len(case_parts) and all(map(fnmatch.fnmatchcase, case_parts, parts))


def _testee_problems(root):
    document, problems = json_file.load_checked(root, TESTEES, TESTEES_SCHEMA)
    if problems:
        return problems
    names = [testee["name"] for testee in document["testees"]]
    return ["%s: %s stands here twice" % (TESTEES, name) for name in sorted(set(names)) if names.count(name) > 1]


if __name__ == "__main__":
    sys.exit(source_tree.run(check))
