"""strategy.run inside tf.function, as the documents write their training steps."""

import tensorflow as tf

from conformance.testees.python.environment import observation_names
from conformance.testees.python.errors import Unsupported
from conformance.testees.python.observation import observation_of
from conformance.testees.python.step_table import StepTable
from conformance.testees.python.tracing import Tracing, fill
from conformance.testees.tensorflow import strategy_steps, value_steps
from conformance.testees.tensorflow.distributed import Distributed, unwrap

steps = StepTable()


class TracedRun:
    """The block of a strategy.run as a function that TensorFlow traces once for each signature of its arguments.

    What the block observes is a result of the function, so that each call observes its own numbers.
    """

    def __init__(self, call, strategy):
        self._traces = []  # of each, the replicas' environments, with placeholders as observations

        @tf.function(autograph=False)
        def function(arguments):
            with call.testee.tracing.collect() as observed:
                result, rounds = strategy_steps.run_block(call, strategy, arguments)
            self._traces.append(rounds)
            return result, observed, tf.constant(len(self._traces) - 1)

        self._function = function

    def __call__(self, call, arguments):
        """The replicas' results; what the block observes is added to the call's observations."""
        result, observed, trace = self._function(arguments)

        def number(place):
            return observation_of(observed[place], call.testee.plain)

        for name in observation_names(call.argument("program")):
            rounds = [inner.observations.get(name) for inner in self._traces[int(trace)]]
            call.environment.observe(name, [fill(own, number) for own in rounds])
        return result


class TracedRuns:
    """The functions of a program's process: one for each place in the program and what its block refers to.

    A function would go on with the objects that its names stood for when it was traced.
    """

    def __init__(self):
        self._runs = {}

    def find(self, call, strategy):
        used = objects_used(call)
        key = id(call.argument("program")), id(strategy), *map(id, used)
        if key not in self._runs:
            # The objects stay, so that no other one gets the identity of one of them.
            self._runs[key] = TracedRun(call, strategy), used
        return self._runs[key][0]


def objects_used(call):
    """What the texts in the step's block stand for outside of it, where they are names."""
    names = dict.fromkeys(text.partition(".")[0] for text in texts_in(call.argument("program")))
    return [value for name in names if (value := call.environment.find_or(name, None)) is not None]


def texts_in(literal):
    """All texts in JSON that are values."""
    if isinstance(literal, str):
        yield literal
    elif isinstance(literal, (dict, list)):
        for item in literal.values() if isinstance(literal, dict) else literal:
            yield from texts_in(item)


RUNS = TracedRuns()


class Traced:
    """What a testee of TensorFlow needs in addition to these steps."""

    def __init__(self):
        self.tracing = Tracing()

    def plain(self, value):
        if tf.is_symbolic_tensor(value):
            return self.tracing.placeholder(value)
        return super().plain(value)


@steps.step("value.device")
def device(call):
    if not tf.executing_eagerly():
        raise Unsupported("a tensor that is traced is on no device yet")
    return value_steps.device(call)


@steps.step("strategy.run")
def run(call):
    if not tf.executing_eagerly():  # it is part of a function
        return strategy_steps.run(call)
    strategy = call.find("of", tf.distribute.get_strategy())
    result = RUNS.find(call, strategy)(call, unwrap(call.bindings("args")))
    return None if result is None else Distributed(strategy, result)
