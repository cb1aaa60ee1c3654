"""Fails where a conformance case is malformed, unsourced, vague or not written as others are.

The runner decides what a valid case is (conformance/runner/cases/case_loader.h), and checks
first. The rules here are for the cases of this repository: a source, a sentence, a form, steps that are used.

    ./bazelw run //tools/check_cases              prints one line a problem:
        conformance/cases/input/rebatch.json: input/rebatch/x: states: no full stop at the end
    ./bazelw run //tools/check_cases -- --fix     rewrites files that are only written differently
"""

import os
import re
import struct
import subprocess
import sys

from tools import placeholder, source_tree
from tools.check_cases import case_files, case_format, json_file, sentence

FOLDER = "conformance"
SOURCES, SOURCES_SCHEMA = FOLDER + "/sources.json", FOLDER + "/schemas/sources.schema.json"
AREAS = {
    "strategy",
    "input",
    "values",
    "reduce",
    "loss",
    "gradient",
    "optimizer",
    "metrics",
    "variables",
    "checkpoint",
    "export",
    "training",
    "callbacks",
    "preprocessing",
    "precision",
    "multi_worker",
    "parameter_server",
    "tf1",
    "liveness",
    "errors",
    "equivalence",
}
# A case of a level has to cite one of these.
CITED_KINDS = {
    "required": ["document"],
    "recommended": ["document", "guide"],
    "decision": ["decision"],
    "observed": ["implementation"],
}
DECISIONS = "docs/design.md"
LONGEST_CLAIM = 60
# The calls that a program of intents may have.
GROUPS_WITH_INTENTS = {"program", "file"}
WITH_INTENTS = {"value.show"}
SHORTEST, LONGEST = {"topic": 10, "states": 20, "reason": 10}, {"topic": 80, "states": 160}
REASONS = ("because", "no_framework_agrees", "by_hand")
# Next to the program in Bazel's tree.
LOADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../conformance/run")


def files_beside(root):
    """The other files that are written in the same form."""
    folder = os.path.join(FOLDER, "deviations")
    names = os.listdir(os.path.join(root, folder)) if os.path.isdir(os.path.join(root, folder)) else []
    beside = ("sources", "statements", "conventions", "testees", "defects/defects")
    paths = ["%s/%s.json" % (FOLDER, name) for name in beside]
    paths += sorted(os.path.join(folder, name) for name in names if name.endswith(".json"))
    return [path for path in paths if os.path.exists(os.path.join(root, path))]


class CaseChecks:
    """Checks all cases below root/conformance; `problems` holds the texts."""

    def __init__(self, root):
        self._root = root
        sources, self.problems = json_file.load_checked(root, SOURCES, SOURCES_SCHEMA)
        self._sources = {source["id"]: source for source in sources["sources"]} if not self.problems else {}
        self._steps = case_files.described_steps(root)
        self._intents = set(case_files.steps_in(root, case_files.INTENTS))
        self._used_steps = set()
        self._places = {}  # (kind, text that is unique) -> where it is
        self._cited = set()
        self._decisions = self._read_decisions()

    def run(self):
        if self.problems:
            return self.problems
        for path in case_files.case_files(self._root):
            self._check_file(path)
        for step in self._steps:
            if step not in self._used_steps:
                self.problems.append("%s: no case uses %s" % (" and ".join(case_files.OPERATIONS), step))
        for source in self._sources:
            if source not in self._cited:
                self.problems.append("%s/sources.json: no case cites %s" % (FOLDER, source))
        return self.problems

    def _read(self, path):
        with open(os.path.join(self._root, FOLDER, path), encoding="utf-8") as stream:
            return stream.read()

    def _read_decisions(self):
        """The headings of the file of decisions, as GitHub makes anchors of them."""
        path = os.path.join(self._root, DECISIONS)
        if not os.path.exists(path):
            return set()
        with open(path, encoding="utf-8") as stream:
            headings = re.findall("^#+ (.*)$", stream.read(), re.MULTILINE)
        return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}

    def _check_file(self, path):
        text = self._read(os.path.relpath(path, FOLDER))
        document = case_format.load(text)
        if text != case_format.dump(document):
            self.problems.append(
                "%s: not written as the tool writes it: ./bazelw run //tools/check_cases -- --fix" % path
            )

        def problem(text):
            self.problems.append("%s: %s" % (path, text))

        self._once("topic", document["topic"], path, problem)
        check_length("topic", document["topic"], problem)
        for case in document["cases"]:
            self._check_case(path, case)

    def _check_case(self, path, case):
        def problem(text):
            self.problems.append("%s: %s: %s" % (path, case["id"], text))

        self._check_id(path, case, problem)
        self._check_states(path, case, problem)
        self._check_cites(case, problem)
        self._check_steps(case_files.steps_of(case["program"]), problem)
        for expectation in case["expect"]:
            check_expectation(expectation, problem)

    def _once(self, kind, text, path, problem):
        place = self._places.setdefault((kind, text), path)
        if place is not path:
            problem("the %s is also in %s: %s" % (kind, place, text))
        else:
            self._places[(kind, text)] = str(path) + " "

    def _check_id(self, path, case, problem):
        area, _, claim = case["id"].split("/")
        if area not in AREAS:
            problem("no area: %s" % area)
        if len(claim) > LONGEST_CLAIM:
            problem("the claim is longer than %d characters" % LONGEST_CLAIM)

    def _check_states(self, path, case, problem):
        states = case["states"]
        self._once("statement", states, path, problem)
        check_length("states", states, problem)
        for text in sentence.problems(states):
            problem("states: " + text)

    def _check_steps(self, steps, problem):
        """Intents go with no calls but those of the program itself."""
        self._used_steps |= steps
        if not steps & self._intents:
            return
        for step in sorted(steps - self._intents - WITH_INTENTS):
            if step.split(".")[0] not in GROUPS_WITH_INTENTS:
                problem("program: %s is a call, and not in the tier of intents" % step)

    def _check_cites(self, case, problem):
        kinds = set()
        for cite in case["cites"]:
            source = self._sources[cite["source"]]
            self._cited.add(cite["source"])
            kinds.add(source["kind"])
            if "anchors" in source and cite["anchor"] not in source["anchors"]:
                problem("cites: %s has no anchor %s" % (cite["source"], cite["anchor"]))
            pattern = source.get("anchor_pattern")
            if pattern and not re.fullmatch(pattern, cite["anchor"]):
                problem("cites: no anchor of %s: %s" % (cite["source"], cite["anchor"]))
            if source["kind"] == "decision" and cite["anchor"] not in self._decisions:
                problem("cites: %s has no heading #%s" % (DECISIONS, cite["anchor"]))
        levels = {case["level"]} | {expectation.get("level", case["level"]) for expectation in case["expect"]}
        for level in sorted(levels & set(CITED_KINDS)):
            if not kinds.intersection(CITED_KINDS[level]):
                problem(
                    "cites: what is of level %s cites a source of kind %s" % (level, " or ".join(CITED_KINDS[level]))
                )


def check_length(field, text, problem):
    """Too short says nothing, too long is not read."""
    if not SHORTEST[field] <= len(text) <= LONGEST.get(field, len(text)):
        problem("%s: %d characters, wanted %d to %s" % (field, len(text), SHORTEST[field], LONGEST.get(field, "any")))


def check_expectation(expectation, problem):
    for field in REASONS:
        if field in expectation:
            check_length("reason", expectation[field], problem)
    for number in case_files.leaves(expectation.get("equals")):
        if isinstance(number, float) and not _is_exact(number):
            problem("expect: %r is no float32, so nothing equals it: use close" % number)


def _is_exact(number):
    return struct.unpack("f", struct.pack("f", number))[0] == number


def loader_problems(root):
    """What the runner refuses: the first problem of all."""
    folder = os.path.join(root, FOLDER)
    command = [LOADER, "--list", "--cases=" + os.path.join(folder, "cases")]
    command += [
        "--%s=%s" % (name.split(".")[0], os.path.join(folder, name)) for name in ("sources.json", "conventions.json")
    ]
    command += ["--operations=" + os.path.join(root, path) for path in case_files.OPERATIONS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [done.stderr.strip()] if done.returncode else []


def check(root):
    """The rules of this repository need valid cases without placeholders."""
    paths = case_files.case_files(root) + list(case_files.OPERATIONS)
    return placeholder.problems(root, paths) or loader_problems(root) or CaseChecks(root).run()


def fix(root):
    """Rewrites case files in their right form. Returns no problems."""
    for path in case_files.case_files(root) + files_beside(root):
        place = os.path.join(root, path)
        with open(place, encoding="utf-8") as stream:
            text = stream.read()
        formatted = case_format.dump(case_format.load(text))
        if formatted != text:
            with open(place, "w", encoding="utf-8") as stream:
                stream.write(formatted)
    return []


if __name__ == "__main__":
    sys.exit(source_tree.run(fix if "--fix" in sys.argv[1:] else check))
