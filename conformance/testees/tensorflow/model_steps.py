"""model.*, history.*: tf.keras.Sequential and its fit, which are Keras's."""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow import loss_steps
from conformance.testees.tensorflow.distributed import Input

steps = StepTable()

# What the learning rate is called in the logs: of Keras 3, and of Keras 2.
RATES = ("learning_rate", "lr")


@steps.step("model.sequential")
def sequential(call):
    shape = call.argument("shape") if call.has("shape") else [call.argument("inputs")]
    first = tf.keras.Input(tuple(shape))
    return tf.keras.Sequential([first, *call.find_all("layers")])


@steps.step("model.compile")
def compile_(call):
    reduction = call.argument("reduction", "sum_over_batch_size")
    options = {}
    if call.has("steps_per_execution"):
        options["steps_per_execution"] = call.argument("steps_per_execution")
    call.find("of").compile(
        optimizer=call.find("optimizer"),
        loss=loss_steps.KINDS[call.argument("loss")](reduction=reduction),
        metrics=call.argument("metrics", None),
        weighted_metrics=call.argument("weighted_metrics", None),
        **options,
    )


def held_data(found):
    """A dataset, or what the strategy made of one."""
    return found.source if isinstance(found, Input) else found


def data_of(call):
    """The arguments of fit, evaluate and predict that say what is read."""
    if call.has("data"):
        return {"x": held_data(call.find("data"))}
    arrays = [name for name in ("x", "y", "sample_weight") if call.has(name)]
    data = {name: tf.constant(call.argument(name), "float32").numpy() for name in arrays}
    if call.has("batch_size"):
        data["batch_size"] = call.argument("batch_size")
    return data


FIT = ("epochs", "initial_epoch", "steps_per_epoch", "validation_split", "validation_steps", "validation_freq")


@steps.step("model.fit")
def fit(call):
    options = {name: call.argument(name) for name in FIT if call.has(name)}
    if call.has("validation_data"):
        options["validation_data"] = held_data(call.find("validation_data"))
    if call.has("class_weight"):
        weights = call.argument("class_weight")
        options["class_weight"] = {int(label): weights[label] for label in weights}
    if call.has("callbacks"):
        options["callbacks"] = call.find_all("callbacks")
    options["shuffle"] = call.argument("shuffle", False)
    return call.find("of").fit(**data_of(call), **options, verbose=0)


def numbers(logs):
    return {name: float(number) for name, number in logs.items()}


@steps.step("model.evaluate")
def evaluate(call):
    steps_ = call.argument("steps", None)
    model = call.find("of")
    return numbers(model.evaluate(**data_of(call), steps=steps_, return_dict=True, verbose=0))


@steps.step("model.predict")
def predict(call):
    return call.find("of").predict(**data_of(call), verbose=0).tolist()


@steps.step("model.train_on_batch")
def train_on_batch(call):
    return numbers(call.find("of").train_on_batch(**data_of(call), return_dict=True))


@steps.step("model.save_weights")
def save_weights(call):
    call.find("of").save_weights(call.path(call.argument("path")))


@steps.step("model.load_weights")
def load_weights(call):
    path = call.find("found") if call.has("found") else call.argument("path")
    call.find("of").load_weights(call.path(path))


@steps.step("history.values")
def values(call):
    history, name = call.find("of").history, call.argument("name")
    if name in RATES:
        name = next(rate for rate in RATES if rate in history)
    return [float(number) for number in history[name]]


@steps.step("history.epochs")
def epochs(call):
    return call.find("of").epoch
