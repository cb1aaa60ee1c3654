"""Which frameworks confirm which expectations, and that each value has a second oracle.

An expected value comes from a document or from arithmetic by hand. A second, independent oracle is a framework in
which it held: `conformance/answers` keeps what each answered, //conformance/answers:results judges that. Where no
framework agrees, the expectation says why in `no_framework_agrees`, and of a number also in `by_hand` how it follows.
"""

import collections

from conformance.answers import frameworks
from tools.check_cases import case_files

# What says which value or error is expected, and not only how values relate.
VALUES = ("equals", "close", "same_multiset", "multiple_of")
NON_FINITE = ("NaN", "Infinity", "-Infinity")


class SecondOracle:
    """What the frameworks' judged answers say of the cases.

    cases: all, as their files have them
    results: framework -> result of //conformance:run, with the cases that it answered in their present form
    known: what frameworks.load gave
    """

    def __init__(self, cases, results, known):
        self._cases = cases
        self._known = known
        self._answers = {
            name: {case["id"]: case for case in results[name]["cases"]} for name in known if name in results
        }

    def agree(self, case):
        """For each expectation of the case the frameworks in which it held, sorted.

        One that is checked for several replica counts has to hold for all of them.
        """
        return [
            sorted(
                name
                for name, answers in self._answers.items()
                if case["id"] in answers and _holds(answers[case["id"]], index)
            )
            for index in range(len(case["expect"]))
        ]

    def unanswered(self, case):
        """The frameworks without an answer to the case as it is now, sorted."""
        return sorted(name for name in self._known if case["id"] not in self._answers.get(name, ()))

    def problems(self):
        """A line for each value without a second oracle, once every framework has answered its case; and for each
        reason that one contradicts."""
        return [
            f"{case['id']}: expectation {index}: {problem}"
            for case in self._cases
            for index, (expectation, names) in enumerate(zip(case["expect"], self.agree(case)))
            for problem in _problems(expectation, names, not self.unanswered(case))
        ]

    def count(self):
        """A line on how many independent families confirm how many values."""
        counts = collections.Counter(
            tuple(frameworks.families(names, self._known))
            for case in self._cases
            for expectation, names in zip(case["expect"], self.agree(case))
            if needs_oracle(expectation)
        )
        several = sum(many for families, many in counts.items() if len(families) > 1)
        alone = ", ".join(f"{many} by {families[0]}" for families, many in sorted(counts.items()) if len(families) == 1)
        waiting = sum(bool(self.unanswered(case)) for case in self._cases)
        return (
            f"{sum(counts.values())} values and errors: {several} confirmed by several families, by one alone "
            f"{alone or 'none'}, by none {counts[()]}; {waiting} cases wait for an answer"
        )


def needs_oracle(expectation):
    return "error" in expectation or any(name in expectation for name in VALUES)


def is_numeric(expectation):
    """Whether it names a number, which is derived where no framework gives it."""
    return any(
        _is_number(leaf) for name in VALUES if name in expectation for leaf in case_files.leaves(expectation[name])
    )


def _is_number(leaf):
    return leaf in NON_FINITE or (isinstance(leaf, (int, float)) and not isinstance(leaf, bool))


def _holds(case, index):
    """Whether the expectation was judged in every run and held."""
    found = [finding["holds"] for run in case["runs"] for finding in run["findings"] if finding["expectation"] == index]
    return len(found) == len(case["runs"]) and all(found)


def _problems(expectation, names, all_answered):
    reason = expectation.get("no_framework_agrees")
    if names and reason:
        return [f"{', '.join(names)} agrees, against 'no_framework_agrees'"]
    if names or not needs_oracle(expectation):
        return []
    if not reason:
        return ["no framework agrees, and no 'no_framework_agrees' says why"] if all_answered else []
    if is_numeric(expectation) and "by_hand" not in expectation:
        return ["no framework agrees, and no 'by_hand' says how the value follows"]
    return []
