"""A framework of a few lines for the engine's tests: numbers, and replicas in a row.

Its values are Python's numbers wrapped as Number, so that the engine has to ask.
"""

import contextlib
import os
import sys

from conformance.testees.python import program_steps, value_steps
from conformance.testees.python.errors import Unsupported
from conformance.testees.python.protocol import serve
from conformance.testees.python.step_table import StepTable
from conformance.testees.python.testee import Testee

steps = StepTable(program_steps.steps, value_steps.steps)
steps.unsupported("strategy.gather", "a miniature gathers nothing")


class Number:
    def __init__(self, value, dtype="float32"):
        self.value = value
        self.dtype = dtype

    def __bool__(self):
        return bool(self.value)


class PerReplica(list):
    """One value per replica."""


@steps.step("value.dtype")
def dtype(call):
    return call.value("of").dtype


@steps.step("value.add")
def add(call):
    a, b = call.pair("a", "b")
    if a.dtype != b.dtype:
        raise ArithmeticError(f"{a.dtype} and {b.dtype}")
    return Number(a.value + b.value, a.dtype)


@steps.step("value.fail")
def fail(call):
    if call.argument("on_replica", None) in (None, call.environment.find("replica").value):
        raise ArithmeticError("as asked to")


@steps.step("strategy.distribute_values")
def distribute_values(call):
    return PerReplica(Number(value) for value in call.argument("values"))


@steps.step("strategy.run")
def run(call):
    arguments, rounds = call.bindings("args"), []
    for replica in range(call.environment.find("strategy")):
        own = {name: value[replica] if isinstance(value, PerReplica) else value for name, value in arguments.items()}
        rounds.append(call.inner(**own, replica=Number(replica)))
        call.run_block(rounds[-1])
    call.observe_rounds(rounds)
    return PerReplica(call.result(inner) for inner in rounds)


@steps.step("input.for_each")
def for_each(call):
    call.run_for_each(call.find("of"))


@steps.step("gradient.tape")
def tape(call):
    call.run_block_here()
    return (call.find("target"), None)


@steps.step("variable.create")
def create_variable(call):
    print("what a framework prints")
    if call.argument("synchronization", "auto") == "on_read":
        raise Unsupported("a miniature has no variable that is summed on read")
    return Number(call.argument("value"))


@steps.step("process.exit")
def exit_process(call):
    os._exit(call.integer("status"))


@steps.step("process.abort")
def abort(call):
    os.abort()


class Miniature(Testee):
    name = "miniature"
    implementation = "Miniature 1"
    conventions = {"gradient_combination": "mean"}
    steps = steps

    def __init__(self, forks=False):
        self.forks = forks
        self.runs = 0

    @contextlib.contextmanager
    def given(self, given):
        self.runs += 1
        yield {"strategy": given.get("replicas", 1), "runs": Number(self.runs)}

    def literal(self, literal, dtype):
        return Number(literal, dtype)

    def dtype_of(self, value):
        return value.dtype

    def plain(self, value):
        return value.value if isinstance(value, Number) else NotImplemented

    def part_of(self, value, key):
        return getattr(value, key)

    def error_class(self, error):
        is_expected = isinstance(error, ArithmeticError)
        return "InvalidArgument" if is_expected else "Internal"


if __name__ == "__main__":
    sys.exit(serve(Miniature(forks="--forks" in sys.argv)))
