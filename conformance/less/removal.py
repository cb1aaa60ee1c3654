"""Programs with a step or an option less.

removal = Removal.parse("dataset.shuffle:seed", steps)
fewer = removal.apply(program)  # equal to `program` where there is nothing to take out

A step is taken out in the first of these ways that goes:

- it gives what it is given, where that is of the same kind: a dataset that is not shuffled;
- it does nothing, gives nothing and observes nothing; its block stays where that is open, as that of strategy.scope.

What only makes something, as dataset.range, so leaves invalid programs (proxy.py). An option is taken out:

- what is optional is left out, or an integer is 1 where programs are invalid without it;
- else an integer is 1, a number 0, a boolean false and a choice the first of its list;
- a boolean that is true unasked is also false, said or not: `dataset.list_files:shuffle=false`.

What names things, texts and data are what a step works on, no options.
"""

import dataclasses
import json
import typing

OUT_OF_ACTION = {"integer": 1, "number": 0, "boolean": False}
NO_OPTIONS = ("binding", "bindings", "result")


class RemovalError(Exception):
    """There is no such thing to take out."""


@dataclasses.dataclass(frozen=True)
class Removal:
    """One step, or one option of it, to be taken out of programs."""

    step: str
    option: str  # "" for the step itself
    value: typing.Any  # what the option is in place of what it is left to; None where there is no such thing
    steps: typing.Any = dataclasses.field(repr=False, compare=False)  # vocabulary.read_steps

    @property
    def name(self):
        value = "" if self.value is None else "=" + json.dumps(self.value)
        return self.step + (":" + self.option if self.option else "") + value

    @property
    def instead(self):
        """What to try where programs are invalid without an optional integer; None for all else."""
        argument = self.steps[self.step].arguments.get(self.option)
        can_be_one = argument and argument.optional and argument.kind == "integer" and self.value is None
        return dataclasses.replace(self, value=OUT_OF_ACTION["integer"]) if can_be_one else None

    @classmethod
    def parse(cls, name, steps):
        """Errors: RemovalError."""
        for removal in all_removals(steps):
            for one in (removal, removal.instead):
                if one and one.name == name:
                    return one
        raise RemovalError("[Less] wanted a step or an option as dataset.shuffle:seed, got %s" % name)

    def apply(self, program):
        """The program with what is left."""
        kept = []
        for given in program:
            block = {"program": self.apply(given["program"])} if "program" in given else {}
            step = given | block
            if step["step"] != self.step:
                kept.append(step)
            elif self.option:
                kept.append(self._without_option(step))
            else:
                kept += self._in_place_of(step)
        return kept

    def _without_option(self, step):
        # What is true unasked is false, said or not.
        if self.option in step and self.value is not None or self.value is False:
            return step | {self.option: self.value}
        if self.option not in step:
            return step
        argument = self.steps[self.step].arguments[self.option]
        if argument.optional:
            return {name: value for name, value in step.items() if name != self.option}
        return step | {self.option: argument.choices[0] if argument.choices else OUT_OF_ACTION[argument.kind]}

    def _in_place_of(self, step):
        """The steps that stand where the step stood."""
        described = self.steps[self.step]
        if described.passes_on in step:
            names = {key: step[key] for key in ("let", "observe") if key in step}
            return [names | {"step": "value.show", "of": step[described.passes_on]}]
        block = step.get("program", [])
        if block and described.arguments["program"].kind == "open program":
            return block + _nothing(step)
        return _nothing(step) + [lost for inner in block for lost in _nothing_observed(inner)]


def _nothing(step):
    """Steps whose result no later step uses."""
    names = {key: step[key] for key in ("let", "observe") if key in step}
    return [names | {"step": "program.try", "program": []}] if names else []


def _nothing_observed(step):
    """Steps that observe nothing in place of each observation of a step in a block that does not run."""
    lost = [{"observe": step["observe"], "step": "program.try", "program": []}] if "observe" in step else []
    return lost + [one for inner in step.get("program", []) for one in _nothing_observed(inner)]


def all_removals(steps):
    """Every step and every option of the vocabulary, in its order."""
    removals = []
    for name, step in steps.items():
        removals.append(Removal(name, "", None, steps))
        for option, argument in step.arguments.items():
            is_option = argument.optional or argument.kind in OUT_OF_ACTION or argument.choices
            if is_option and argument.kind not in NO_OPTIONS:
                removals.append(Removal(name, option, None, steps))
            if argument.unasked:
                removals.append(Removal(name, option, False, steps))
    return removals
