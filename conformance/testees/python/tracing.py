"""Observations made while a framework traces a function, when values have no numbers yet.

Such an observation holds a placeholder for each traced value; the function gives the
values back, and the placeholders are filled when it has run.
"""

import contextlib

TRACED = "\0traced"  # no key of a program, whose names are printable


class Tracing:
    """The traced values that were observed, by the function being traced.

    with tracing.collect() as observed:
        ...                    # tracing.placeholder(value) for what is observed
    return result, observed    # as outputs of the traced function
    """

    def __init__(self):
        self._functions = []

    @contextlib.contextmanager
    def collect(self):
        self._functions.append([])
        try:
            yield self._functions[-1]
        finally:
            self._functions.pop()

    def placeholder(self, value):
        """What is observed in the value's place until `fill`."""
        self._functions[-1].append(value)
        return {TRACED: len(self._functions[-1]) - 1}


def fill(observation, observed):
    """The observation with observed(n) in the place of placeholder n."""
    if isinstance(observation, dict):
        if TRACED in observation:
            return observed(observation[TRACED])
        return {key: fill(item, observed) for key, item in observation.items()}
    if isinstance(observation, list):
        return [fill(item, observed) for item in observation]
    return observation
