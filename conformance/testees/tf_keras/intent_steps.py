"""train.create of the intents: the same loop, whose losses the program scales itself."""

import tensorflow as tf

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.intents import TrainingRequest
from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.intents import training

steps = StepTable()


class Training(training.Training):
    """The document's loop with an optimizer of Keras 2, as its guide to mixed precision has it."""

    def scaled(self, loss):
        return self.optimizer.get_scaled_loss(loss) if self._scales else loss

    def unscaled(self, gradients):
        return self.optimizer.get_unscaled_gradients(gradients) if self._scales else gradients

    @property
    def _scales(self):
        return isinstance(self.optimizer, tf.keras.mixed_precision.LossScaleOptimizer)


@steps.step("train.create")
def create(call):
    request = TrainingRequest.of(call)
    if request.accumulate > 1:
        raise Unsupported("Keras 2's optimizers accumulate no gradients")
    return Training(call.find("of"), request)
