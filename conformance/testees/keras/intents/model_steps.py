"""model.*: what a layer keeps of its own are weights that it adds, as Keras's guide to layers has it."""

import keras
from keras import ops

from conformance.testees.python.intents import ModelRequest
from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.intents import model_steps
from conformance.testees.tensorflow.intents.model import RequestedModel

steps = StepTable(model_steps.steps)


class Centering(keras.layers.Layer):
    """Its weights say by `aggregation` how what replicas assign becomes one value."""

    def __init__(self, size, momentum):
        super().__init__()
        self.momentum = momentum
        self.seen = self._own("seen", (), "sum")
        self.moving_mean = self._own("moving_mean", (size,), "mean")

    def _own(self, name, shape, aggregation):
        return self.add_weight(
            name=name, shape=shape, initializer="zeros", trainable=False, autocast=False, aggregation=aggregation
        )

    def call(self, inputs, training=None):
        if not training:
            return inputs - ops.cast(self.moving_mean, inputs.dtype)  # intents.md (model.create, centering)
        rows = ops.cast(inputs, "float32")
        self.seen.assign_add(ops.cast(ops.shape(rows)[0], "float32"))
        batch = ops.mean(rows, axis=0)  # intents.md (model.create, centering)
        # intents.md (model.create, centering)
        self.moving_mean.assign(self.momentum * self.moving_mean + (1 - self.momentum) * batch)
        return inputs


@steps.step("model.create")
def create(call):
    return RequestedModel(ModelRequest.of(call), Centering)
