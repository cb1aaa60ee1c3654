"""Puts chosen cases to a testee, in a run of //conformance:run of their own.

cases = load_cases(".")
results = run_cases([case.id, ...], cases, "conformance/testees/reference/pipe")
"""

import collections
import json
import os
import tempfile
import typing

from conformance.mutants.case_results import RunFailed, results_of
from tools.check_cases import case_files, case_format

# The longest case takes a second or so, and a program that lost its end runs on in many cases.
DEADLINE_S = 15
JUDGED = ("required", "recommended")


class Case(typing.NamedTuple):
    """A case, and the head of its file."""

    id: str
    level: str
    program: list
    has_workers: bool
    entry: dict
    path: str
    head: dict

    @property
    def is_judged(self):
        return self.level in JUDGED


def load_cases(root):
    """Id -> Case, in the order of the files."""
    cases = {}
    for path in case_files.case_files(root):
        with open(os.path.join(root, path), encoding="utf-8") as stream:
            document = case_format.load(stream.read())
        head = {name: value for name, value in document.items() if name != "cases"}
        for entry in document["cases"]:
            has_workers = "workers" in entry["given"]
            case = Case(entry["id"], entry["level"], entry["program"], has_workers, entry, path, head)
            cases[case.id] = case
    return cases


def write_files(cases, folder):
    """These cases alone, in files as there are in the tree, for --cases of the runner."""
    by_path = collections.defaultdict(list)
    for case in cases:
        by_path[case.path].append(case)
    for path, of_file in by_path.items():
        target = os.path.join(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        entries = [case.entry for case in of_file]
        head = dict(of_file[0].head)
        if "literals" in head:
            used = json.dumps(entries)
            head["literals"] = {
                name: it for name, it in head["literals"].items() if json.dumps({"literal": name}) in used
            }
            head = {name: value for name, value in head.items() if value}
        with open(target, "w", encoding="utf-8") as stream:
            stream.write(case_format.dump(head | {"cases": entries}))


def run_cases(cases, testee):
    """Id -> what the runner's results say of the case. Errors: RunFailed."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(cases, folder)
        results = results_of(testee, DEADLINE_S, "--cases=" + os.path.join(folder, case_files.FOLDER))
    found = {result["id"]: result for result in results}
    broken = [name for name, result in found.items() if result["verdict"] == "protocol_error"]
    if broken:
        raise RunFailed("[Less] %s: no answer by the protocol to %s" % (testee, ", ".join(broken)))
    return found
