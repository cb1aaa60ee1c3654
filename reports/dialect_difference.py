"""What differs between two implementations that ran the same cases."""

import collections

from reports import case_status, conformance_result, expectation_text

# The statuses of a case that shows a difference when the other one passed.
_OTHERWISE = ("differs", "warned", "departed", "failed", "errored", "timed_out", "crashed", "protocol_error")


class DialectDifference:
    """Compares two results (conformance_result.load) by declared conventions.

    source, target: {"name", "version", "result"}
    conventions: those that they declare differently: {"convention", "from", "to" (values
    with their meaning), "note", "cases"}; same: conventions they share, as
    (convention, value); missing_steps: step -> the target's reason and the cases
    that need it; behaviours: cases that the source passes and the target does not;
    gained: the reverse. A case is {"case", "from", "to", "why"}: its text,
    the status in each, and why the one that does not pass it does not.
    """

    def __init__(self, source, target, conventions):
        self.source, self.target = _side(source), _side(target)
        self._pairs = self._pair_cases()
        self.conventions, self.same = [], []
        for convention in conventions:
            self._compare(convention)
        self.missing_steps = self._missing_steps()
        self.behaviours = [
            {**pair, "why": conformance_result.why(pair["answer"])}
            for pair in self._pairs_where(("passed",), _OTHERWISE)
        ]
        self.gained = [
            {**pair, "why": conformance_result.why(pair["case"])} for pair in self._pairs_where(_OTHERWISE, ("passed",))
        ]

    def _pair_cases(self):
        theirs = conformance_result.cases_by_id(self.target["result"])
        return [
            {
                "case": case,
                "answer": theirs[case["id"]],
                "from": case_status.of_case(case),
                "to": case_status.of_case(theirs[case["id"]]),
            }
            for case in self.source["result"]["cases"]
            if case["id"] in theirs
        ]

    def _compare(self, convention):
        values = {value["id"]: value for value in convention["values"]}
        documented = convention["values"][0]["id"]
        old, new = (
            values[side["result"]["testee"]["conventions"].get(convention["id"], documented)]
            for side in (self.source, self.target)
        )
        if old == new:
            self.same.append((convention, old))
            return
        self.conventions.append(
            {
                "convention": convention,
                "from": old,
                "to": new,
                "note": _note(convention, old["id"], new["id"]),
                "cases": [p for p in self._pairs if _asks(p["case"], convention["id"])],
            }
        )

    def _missing_steps(self):
        """Step -> {"reasons", "cases"} where only the target is unsupported."""
        pairs = [pair for pair in self._pairs if pair["to"].id == "unsupported" != pair["from"].id]
        return by_missing_step((pair["answer"], pair) for pair in pairs)

    def _pairs_where(self, old, new):
        return [p for p in self._pairs if p["from"].id in old and p["to"].id in new]


def by_missing_step(unsupported):
    """Step -> {"reasons", "cases"}, the most cases first, of pairs (unsupported case, what to list for it)."""
    steps = collections.defaultdict(lambda: {"reasons": [], "cases": []})
    for case, listed in unsupported:
        missing = next(run["unsupported"] for run in case["runs"] if "unsupported" in run)
        entry = steps[missing["step"]]
        entry["cases"].append(listed)
        if missing["reason"] not in entry["reasons"]:
            entry["reasons"].append(missing["reason"])
    return dict(sorted(steps.items(), key=lambda step: (-len(step[1]["cases"]), step[0])))


def _side(result):
    name, version = conformance_result.title(result)
    return {"name": name, "version": version, "result": result}


def _asks(case, convention):
    """Whether an expectation of the case depends on the convention."""
    return any(convention in expectation_text.conventions(e) for e in case["expect"])


def _note(convention, old, new):
    """What to change; None where the convention's file has no note on this direction."""
    for porting in convention["porting"]:
        if (porting["from"], porting["to"]) == (old, new):
            return porting["note"]
    return None
