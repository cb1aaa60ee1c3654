"""value.*: what is the same for every framework but for the functions it computes with."""

from conformance.testees.python.step_table import StepTable

steps = StepTable()


def rank_of(literal):
    """How many lists stand inside each other: 2 for [[1, 2]], 1 for []."""
    if not isinstance(literal, list):
        return 0
    return 1 + (rank_of(literal[0]) if literal else 0)


@steps.step("value.constant")
def constant(call):
    return call.testee.literal(call.argument("value"), call.dtype())


@steps.step("value.show")
def show(call):
    form = call.argument("of")
    if isinstance(form, dict):
        return {key: call.environment.find(name) for key, name in form.items()}
    return call.value("of")


def arithmetic(*, add, multiply, divide, square, sum_, mean):
    """A table of the steps that compute, by the framework's own functions.

        steps = StepTable(value_steps.steps, arithmetic(add=np.add, ...))

    The first three take two values, the others one.
    """
    table = StepTable()
    for name, function in (("value.add", add), ("value.multiply", multiply), ("value.divide", divide)):
        table.step(name)(_of_two(function))
    for name, function in (("value.square", square), ("value.sum", sum_), ("value.mean", mean)):
        table.step(name)(_of_one(function))
    return table


def _of_two(function):
    return lambda call: function(*call.pair("a", "b"))


def _of_one(function):
    return lambda call: function(call.value("of"))
