"""Counts which documented statements have cases."""

import collections

STATES = ("covered", "planned", "missing")
LEVELS = ("required", "recommended", "decision", "observed")


class CoverageCount:
    """Which of a Catalogue's statements have cases, and which cases have no statement.

    A statement is `covered` by its cases, or `planned` with a reason why it
    has none, or else `missing`. by_source, by_group: id -> state -> how many, and
    by_source_and_group: (source, group) -> the same; reasons: reason -> how many;
    unstated: level -> ids of the cases without a statement; unknown: pairs of a
    case's id and a statement's that does not exist.
    """

    def __init__(self, catalogue):
        self.catalogue = catalogue
        self.by_source = self._count(lambda s: s["source"])
        self.by_group = self._count(lambda s: s["group"])
        self.by_source_and_group = self._in_order(self._count(lambda s: (s["source"], s["group"])))
        self.total = self._count(lambda s: "")[""]
        self.reasons = collections.Counter(s["planned"] for s in catalogue.statements if self.state(s) == "planned")
        known = {s["id"] for s in catalogue.statements}
        self.unknown = [
            (case["id"], statement)
            for case in catalogue.cases
            for statement in case.get("holds", ())
            if statement not in known
        ]
        self.unstated = self._unstated()

    def state(self, statement):
        if statement["cases"]:
            return "covered"
        return "planned" if "planned" in statement else "missing"

    def _count(self, key):
        counts = collections.defaultdict(collections.Counter)
        for statement in self.catalogue.statements:
            counts[key(statement)][self.state(statement)] += 1
        return counts

    def _in_order(self, counts):
        """By source as statements come, then by group as groups are listed."""
        keys = [
            (source, group) for source in self.by_source for group in self.catalogue.groups if (source, group) in counts
        ]
        return {key: counts[key] for key in keys}

    def _unstated(self):
        found = {level: [] for level in LEVELS}
        for case in self.catalogue.cases:
            if "holds" not in case:
                found[case["level"]].append(case["id"])
        return found

    def to_json(self):
        """The counts as JSON: for other tools."""

        def counts(counter):
            return {state: counter[state] for state in STATES}

        return {
            "format": 1,
            "statements": counts(self.total),
            "by_source_and_group": [
                {"source": source, "group": group, **counts(counter)}
                for (source, group), counter in self.by_source_and_group.items()
            ],
            "planned": [{"reason": reason, "statements": count} for reason, count in self.reasons.most_common()],
            "missing": [s["id"] for s in self.catalogue.statements if self.state(s) == "missing"],
            "cases_without_statement": self.unstated,
            "unknown_statements": [{"case": case, "statement": statement} for case, statement in self.unknown],
        }
