"""model.* of libraries that train the user's own module in place, whatever wraps it."""

from conformance.testees.python.intents import ModelRequest
from conformance.testees.python.per_rank import PerRank
from conformance.testees.python.step_table import StepTable
from conformance.testees.torch_ranks.model import Model, buffers_of, parameters_of

steps = StepTable()


@steps.step("model.create")
def create(call):
    return Model(ModelRequest.of(call))


@steps.step("model.parameters")
def parameters(call):
    return parameters_of(call.find("of"))


@steps.step("model.copies")
def copies(call):
    return PerRank(parameters_of(call.find("of")))


@steps.step("model.buffers")
def buffers(call):
    return buffers_of(call.find("of"))
