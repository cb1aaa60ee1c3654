"""model.create and what a model has learned: the arrays, and each device's copy of them."""

import jax

from conformance.testees.jax.intents.model import model_of
from conformance.testees.jax.per_replica import on_each_device
from conformance.testees.python.intents import ModelRequest
from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("model.create")
def create(call):
    return model_of(ModelRequest.of(call), jax.sharding.get_mesh())


@steps.step("model.parameters")
def parameters(call):
    return call.find("of").weights


@steps.step("model.copies")
def copies(call):
    return _on_each_device(call.find("of").weights)


@steps.step("model.buffers")
def buffers(call):
    return call.find("of").buffers


def _on_each_device(tree):
    """The tree as each device has it."""
    replicas = range(jax.sharding.get_mesh().size)
    arrays, structure = jax.tree.flatten(tree)
    copies = [on_each_device(array) for array in arrays]
    return [structure.unflatten([own[replica] for own in copies]) for replica in replicas]
