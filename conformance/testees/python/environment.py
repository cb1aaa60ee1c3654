"""The names that a block sees and the observations it makes."""

from conformance.testees.python.errors import ProgramError


def observation_names(program):
    """The names of all observations in a block and in the blocks in it."""
    names = []
    for step in program:
        names += [step["observe"]] if "observe" in step else []
        names += observation_names(step.get("program", []))
    return names


class Environment:
    """Names of one block; those around it, in `outer`, are only read.

    Replicas that run at once have one each and may share `outer`.
    `part_of(value, key)` gives a part of what is neither dict nor sequence.
    """

    def __init__(self, outer=None, part_of=None):
        self._outer = outer
        self._part_of = outer._part_of if outer else part_of
        self._names = {}
        self.observations = {}

    def bind(self, name, value):
        self._names[name] = value

    def find(self, path):
        """What "name" or "name.part" stands for. Raises ProgramError."""
        name, *keys = path.split(".")
        value = self._find_name(name)
        for key in keys:
            value = self._part(value, key)
        return value

    def find_or(self, name, otherwise):
        """What the name stands for, or `otherwise` if nothing is called that."""
        try:
            return self._find_name(name)
        except ProgramError:
            return otherwise

    def observe(self, name, observation):
        self.observations[name] = observation

    def observe_rounds(self, names, rounds):
        """For each name the list of what the rounds observed, None where nothing."""
        for name in names:
            self.observe(name, [r.observations.get(name) for r in rounds])

    def _find_name(self, name):
        if name in self._names:
            return self._names[name]
        if self._outer is None:
            raise ProgramError(f"nothing is called '{name}'")
        return self._outer._find_name(name)

    def _part(self, value, key):
        try:
            if isinstance(value, dict):
                return value[key]
            if isinstance(value, (list, tuple)):
                return value[int(key)]
        except (KeyError, IndexError, ValueError) as error:
            raise ProgramError(f"a structure has no part '{key}'") from error
        if self._part_of is None:
            raise ProgramError(f"a value has no part '{key}'")
        return self._part_of(value, key)
