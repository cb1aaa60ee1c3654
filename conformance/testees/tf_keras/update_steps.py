"""optimizer.*: aggregation can be left out, and gradients are unscaled by the program."""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.optimizer_steps import pairs_of, python_number

steps = StepTable()


@steps.step("optimizer.apply_gradients")
def apply_gradients(call):
    optimizer, gradients = call.find("of"), call.values("gradients")
    if isinstance(optimizer, tf.keras.mixed_precision.LossScaleOptimizer):
        gradients = optimizer.get_unscaled_gradients(gradients)
    options = {}
    if call.argument("skip_aggregation", False):
        options["skip_gradients_aggregation"] = True
    optimizer.apply_gradients(pairs_of(call, gradients), **options)


@steps.step("optimizer.scale_loss")
def scale_loss(call):
    return call.find("of").get_scaled_loss(call.value("loss"))


@steps.step("optimizer.loss_scale")
def loss_scale(call):
    return python_number(float, call.find("of").loss_scale)
