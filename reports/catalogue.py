"""Reads the conformance folder: documents, what they state, and the cases."""

import collections
import os

from reports import command, json_file


class Catalogue:
    """The folder's JSON, as in the files.

    sources: id -> source; groups: id -> title; statements, cases: lists in the order
    of their files, and each statement's `cases` are the ids of those that hold it.
    Errors: ReportError for a file that is missing or malformed.
    """

    def __init__(self, folder):
        self._folder = folder
        self.sources = {s["id"]: s for s in self._load("sources")["sources"]}
        document = self._load("statements")
        self.groups = {group["id"]: group["title"] for group in document["groups"]}
        self.cases = [case for path in self._case_paths() for case in json_file.load(path)["cases"]]
        cases_of = collections.defaultdict(list)
        for case in self.cases:
            for statement in case.get("holds", ()):
                cases_of[statement].append(case["id"])
        self.statements = [{**statement, "cases": cases_of[statement["id"]]} for statement in document["statements"]]

    def _load(self, name):
        return json_file.load(
            os.path.join(self._folder, name + ".json"), command.conformance_path("schemas", name + ".schema.json")
        )

    def _case_paths(self):
        return sorted(
            os.path.join(folder, name)
            for folder, _, names in os.walk(os.path.join(self._folder, "cases"))
            for name in names
            if name.endswith(".json")
        )
