"""One step of a program, as the function that does it sees it."""

import os

from conformance.testees.python.environment import Environment, observation_names
from conformance.testees.python.errors import ProgramError

REQUIRED = object()


class StepCall:
    """The step's arguments, its names, its block and the program's folder.

    Arguments are read by their type in operations.md. A missing one that has no
    `otherwise` is a ProgramError.
    """

    def __init__(self, step, environment, interpreter):
        self._step = step
        self._interpreter = interpreter
        self.environment = environment
        self.testee = interpreter.testee

    def has(self, argument):
        return argument in self._step

    def argument(self, argument, otherwise=REQUIRED):
        """The argument as the program has it: `literal`, `names`, `choice`."""
        value = self._step.get(argument, otherwise)
        if value is REQUIRED:
            raise ProgramError(f"{self._step['step']} lacks the argument '{argument}'")
        return value

    def integer(self, argument, otherwise=REQUIRED):
        """A literal or the counter of a program.repeat."""
        value = self.argument(argument, otherwise)
        return self.environment.find(value) if isinstance(value, str) else value

    def dtype(self):
        return self.argument("dtype", "float32")

    def find(self, argument, otherwise=REQUIRED):
        """What the `name` stands for: a dataset, a variable, a value."""
        if not self.has(argument) and otherwise is not REQUIRED:
            return otherwise
        return self.environment.find(self.argument(argument))

    def find_all(self, argument):
        """What the `names` stand for."""
        return [self.environment.find(name) for name in self.argument(argument)]

    def resolve(self, value, dtype="float32", environment=None):
        """A `value`: what the name stands for, or the literal as one of the testee's."""
        names = environment or self.environment
        found = names.find(value) if isinstance(value, str) else value
        is_counter = isinstance(found, int) and not isinstance(found, bool)
        if not isinstance(value, str) or is_counter:
            return self.testee.literal(found, dtype)
        return found

    def value(self, argument, otherwise=REQUIRED, dtype="float32"):
        """The `value` of an argument; literals are of `dtype`."""
        if not self.has(argument) and otherwise is not REQUIRED:
            return otherwise
        return self.resolve(self.argument(argument), dtype)

    def values(self, argument):
        """The `values` of an argument."""
        return [self.resolve(value) for value in self.argument(argument)]

    def pair(self, first, second):
        """Two values, of which a literal takes the other one's dtype."""
        if not isinstance(self.argument(first), str):
            other = self.value(second)
            return self.value(first, dtype=self.testee.dtype_of(other)), other
        value = self.value(first)
        return value, self.value(second, dtype=self.testee.dtype_of(value))

    def bindings(self, argument):
        """The `bindings` of an argument, resolved; none when it is missing."""
        named = self.argument(argument, {})
        return {name: self.resolve(value) for name, value in named.items()}

    def path(self, relative):
        """A path relative to the program's folder, made absolute."""
        return os.path.normpath(os.path.join(self._interpreter.folder, relative))

    def relative(self, path):
        """An absolute path, made relative to the program's folder."""
        return os.path.relpath(path, self._interpreter.folder)

    def inner(self, **names):
        """An environment for one round of the block, with these names bound."""
        environment = Environment(self.environment)
        for name, value in names.items():
            environment.bind(name, value)
        return environment

    def run_block(self, inner):
        """Runs the block in an environment of its own."""
        self._interpreter.run(self.argument("program"), inner)

    def run_block_here(self):
        """Runs the block so that what it binds and observes stays."""
        self._interpreter.run(self.argument("program"), self.environment)

    def result(self, inner):
        """The `return` of a block that ran in `inner`; None when it has none."""
        return self._result(self.argument("return", None), inner)

    def run_for_each(self, elements):
        """Runs the block for each element, bound to the step's `as`, and reports what it observes as lists.

        Leaves the rest after a round in which the step's `until` is true.
        """
        rounds = []
        for element in elements:
            rounds.append(self.inner(**{self.argument("as"): element}))
            self.run_block(rounds[-1])
            if self.has("until") and bool(rounds[-1].find(self.argument("until"))):
                break
        self.observe_rounds(rounds)

    def observe_rounds(self, rounds):
        """Reports the environments in which the block ran as lists."""
        names = observation_names(self.argument("program"))
        self.environment.observe_rounds(names, rounds)

    def _result(self, form, inner):
        if isinstance(form, dict):
            return {key: self._result(item, inner) for key, item in form.items()}
        if isinstance(form, list):
            return tuple(self._result(item, inner) for item in form)
        if form is None:
            return None
        return self.resolve(form, environment=inner)
