"""Fails where the list of documented statements is malformed, incomplete or names what does not exist.

    ./bazelw run //tools/check_cases:check_statements

prints one line a problem:
    conformance/statements.json: guide/x: no case holds it, and no `planned` says why

A case that fails where a statement is false says so by its field `holds`; a statement without a case says why.
"""

import sys

from tools import source_tree
from tools.check_cases import case_files, case_format, check_cases, json_file, sentence

PATH = check_cases.FOLDER + "/statements.json"
SCHEMA = check_cases.FOLDER + "/schemas/statements.schema.json"
# Levels of cases, one of which a statement of a level has.
HELD_BY = {"required": {"required"}, "recommended": {"required", "recommended"}}


class StatementChecks:
    """Checks root/conformance/statements.json; `problems` holds the texts."""

    def __init__(self, root):
        self._root = root
        sources = case_format.load(json_file.read(root, check_cases.SOURCES))["sources"]
        self._sources = {source["id"]: source for source in sources}
        self._cases = list(case_files.all_cases(root))
        self._states = {}
        self.problems = []

    def run(self):
        document, self.problems = json_file.load_checked(self._root, PATH, SCHEMA)
        if self.problems:
            return self.problems
        groups = [group["id"] for group in document["groups"]]
        for statement in document["statements"]:
            self._check(statement, groups)
        self._check_all_are_used(document["statements"], groups)
        self._check_holds({statement["id"] for statement in document["statements"]})
        return self.problems

    def _problem(self, text):
        self.problems.append("%s: %s" % (PATH, text))

    def _check(self, statement, groups):
        def problem(text):
            self._problem("%s: %s" % (statement["id"], text))

        self._check_names(statement, groups, problem)
        for text in sentence.problems(statement["states"]):
            problem("states: " + text)
        self._check_cases(statement, problem)

    def _check_names(self, statement, groups, problem):
        source = self._sources.get(statement["source"])
        if source is None or source["kind"] not in ("document", "guide"):
            problem("no document is called %s" % statement["source"])
        elif statement["anchor"] not in source["anchors"]:
            problem("%s has no anchor %s" % (statement["source"], statement["anchor"]))
        if not statement["id"].startswith(statement["source"] + "/"):
            problem("the id does not follow its source, wanted %s/<claim>" % statement["source"])
        if statement["group"] not in groups:
            problem("no group is called %s" % statement["group"])
        for text in (statement["id"], "%s: %s" % (statement["source"], statement["states"])):
            if self._states.setdefault(text, statement) is not statement:
                problem("stands twice: %s" % text)

    def _check_cases(self, statement, problem):
        level = statement["level"]
        if level == "required" and self._sources.get(statement["source"], {}).get("kind") == "guide":
            problem("what a guide states is recommended at most")
        cases = [case for case in self._cases if statement["id"] in case.get("holds", [])]
        if not cases and "planned" not in statement:
            problem("no case holds it, and no `planned` says why")
        if cases and "planned" in statement:
            problem("is planned, and %s holds it" % cases[0]["id"])
        if cases and not {case["level"] for case in cases} & HELD_BY[level]:
            problem("is %s, and none of the cases that hold it is" % level)

    def _check_holds(self, statements):
        for case in self._cases:
            for statement in case.get("holds", []):
                if statement not in statements:
                    self.problems.append("%s: holds: no statement is called %s" % (case["id"], statement))

    def _check_all_are_used(self, statements, groups):
        for group in groups:
            if group not in [statement["group"] for statement in statements]:
                self._problem("no statement is of the group %s" % group)
        stated = {(statement["source"], statement["anchor"]) for statement in statements}
        for source in self._sources.values():
            for anchor in source.get("anchors", []):
                if (source["id"], anchor) not in stated:
                    self._problem("no statement for the anchor %s of %s" % (anchor, source["id"]))


def check(root):
    return StatementChecks(root).run()


if __name__ == "__main__":
    sys.exit(source_tree.run(check))
