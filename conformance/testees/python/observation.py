"""Values as the JSON that operations.md prescribes for observations."""

import math

from conformance.testees.python.errors import ProgramError


def observation_of(value, plain):
    """`value` as JSON: numbers exactly, what JSON does not have as texts, tuples as lists.

    `plain(value)` turns what is not Python's own (a tensor, a value that differs by
    replica) into numbers, texts, None, lists, tuples and dicts of such, and gives
    NotImplemented for what has no look (a dataset, a variable): ProgramError.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, dict):
        return {str(key): observation_of(item, plain) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [observation_of(item, plain) for item in value]
    if (own := plain(value)) is NotImplemented:
        raise ProgramError(
            f"only values are observed, got {type(value).__name__}: "
            "a dataset is read, and of a variable its value or its copies"
        )
    return observation_of(own, plain)


def _number(value):
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value
