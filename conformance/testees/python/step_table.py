"""Which function does which step."""


class StepTable:
    """Steps by name.

        steps = StepTable()

        @steps.step("dataset.take")
        def take(call):
            return call.find("of").take(call.integer("count"))

        steps.unsupported("strategy.gather", "its all-gather needs equal shapes")

    A step's function takes a StepCall and returns what the step gives.
    """

    def __init__(self, *tables):
        """Holds the steps of `tables`; later ones hide those of earlier ones."""
        self._entries = {}  # a function, or the reason why there is none
        self._groups = {}  # reasons for whole groups
        for table in tables:
            self._entries.update(table._entries)
            self._groups.update(table._groups)

    def step(self, *names):
        """Decorates the function that does the steps of these names."""

        def add(function):
            self._entries.update(dict.fromkeys(names, function))
            return function

        return add

    def unsupported(self, name, reason):
        """Says why the framework has no such step."""
        self._entries[name] = reason

    def unsupported_group(self, group, reason):
        """The same of every step `group.*` of which nothing else is said."""
        self._groups[group] = reason

    def find(self, name):
        """The step's function, or None."""
        entry = self._entries.get(name)
        return entry if callable(entry) else None

    def reason(self, name):
        """Why there is no such step. REQUIRES: find(name) is None."""
        of_group = self._groups.get(name.split(".")[0], "it has nothing that does this")
        return self._entries.get(name, of_group)

    def names(self):
        """The names of the steps there are, sorted."""
        return sorted(name for name in self._entries if self.find(name))
