"""Puts an expectation of a case into words."""

from reports.page import as_json


def describe(expectation):
    """What is expected, without its level and its reason.

    >>> describe({"observation": "sizes", "equals": [[2, 2], [1, 1]]})
    'sizes equals [[2, 2], [1, 1]]'
    """
    if "error" in expectation:
        steps = expectation["at_step"]
        place = steps if isinstance(steps, str) else " or ".join(steps)
        text = f"the program ends with the error {expectation['error']} in {place}"
    else:
        text = f"{expectation['observation']} {_relation(expectation)}"
    return text + _tolerance(expectation)


def condition(expectation):
    """The conventions for which it is judged. Empty for all.

    >>> condition({"when": {"remainder": ["pad", "drop"], "empty_replica": {"not": "no_step"}}})
    'remainder: pad or drop, empty_replica: not no_step'
    >>> condition({"departs": {"remainder": "pad"}})
    'in place of what is promised, remainder: pad'
    """
    lead = ["in place of what is promised"] if "departs" in expectation else []
    choices = conventions(expectation).items()
    return ", ".join(lead + [f"{convention}: {_choice(choice)}" for convention, choice in choices])


def conventions(expectation):
    """Convention -> choice: those that it is judged for, of `when` or `departs`."""
    return {**expectation.get("when", {}), **expectation.get("departs", {})}


def _choice(choice):
    if isinstance(choice, dict):
        return f"not {_choice(choice['not'])}"
    return choice if isinstance(choice, str) else " or ".join(choice)


def _relation(expectation):
    if "equals" in expectation:
        return f"equals {as_json(expectation['equals'])}"
    if "close" in expectation:
        return f"is close to {as_json(expectation['close'])}"
    if "multiple_of" in expectation:
        return f"is a multiple of {expectation['multiple_of']}"
    if "same_multiset" in expectation:
        return f"holds {as_json(expectation['same_multiset'])} in any order and grouping"
    if "same_on_all_replicas" in expectation:
        in_each_round = expectation["same_on_all_replicas"] == "in_each_round"
        return "is the same on all replicas" + (", in each round" * in_each_round)
    if "differs_from" in expectation:
        return f"differs from {expectation['differs_from']}"
    if "entries_differ" in expectation:
        return "has no two entries that are equal"
    return f"is the same as {_other(expectation['same_as'])}"


def _other(same_as):
    parts = [same_as["observation"]] if "observation" in same_as else []
    if "given" in same_as:
        parts.append(f"with {as_json(same_as['given'])}")
    return " ".join(parts)


def _tolerance(expectation):
    parts = [f"{name} {expectation[name]:g}" for name in ("rtol", "atol") if name in expectation]
    parts += ["to rounding"] * ("tolerance" in expectation)
    return f" ({', '.join(parts)})" if parts else ""
