"""model.create, and what a model has, of the intents: Keras's layers under a strategy."""

import tensorflow as tf

from conformance.testees.python.intents import ModelRequest
from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.intents.centering import Centering
from conformance.testees.tensorflow.intents.model import (
    RequestedModel,
    buffers_of,
    copies_of_parameters,
    parameters_of,
    value_of,
)

steps = StepTable()


@steps.step("model.create")
def create(call):
    return RequestedModel(ModelRequest.of(call), Centering)


@steps.step("model.parameters")
def parameters(call):
    return parameters_of(call.find("of").built, value_of)


@steps.step("model.copies")
def copies(call):
    return copies_of_parameters(call.find("of").built, replicas())


@steps.step("model.buffers")
def buffers(call):
    return buffers_of(call.find("of").built)


def replicas():
    return tf.distribute.get_strategy().num_replicas_in_sync
