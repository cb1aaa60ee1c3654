"""loss.*: the scaling functions of tf.nn, and the losses the documents use with them."""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable

steps = StepTable()

KINDS = {
    "mean_squared_error": tf.keras.losses.MeanSquaredError,
    "mean_absolute_error": tf.keras.losses.MeanAbsoluteError,
    "sparse_categorical_crossentropy": lambda reduction: tf.keras.losses.SparseCategoricalCrossentropy(
        from_logits=True, reduction=reduction
    ),
}


@steps.step("loss.compute_average")
def compute_average(call):
    return tf.nn.compute_average_loss(
        call.value("of"),
        sample_weight=call.value("sample_weight", None),
        global_batch_size=call.integer("global_batch_size", None),
    )


@steps.step("loss.scale_regularization")
def scale_regularization(call):
    return tf.nn.scale_regularization_loss(call.value("of"))


@steps.step("loss.compute")
def compute(call):
    loss = KINDS[call.argument("kind")](reduction=call.argument("reduction"))
    weight = call.value("sample_weight", None)
    return loss(call.value("labels"), call.value("predictions"), sample_weight=weight)
