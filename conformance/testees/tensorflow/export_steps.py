"""model.*, saved_model.*: whole models in files, by Model.save and export and what loads them."""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("model.save")
def save(call):
    call.find("of").save(call.path(call.argument("path")))


@steps.step("model.load")
def load(call):
    path = call.find("found") if call.has("found") else call.argument("path")
    compile_ = call.argument("compile", True)
    return tf.keras.models.load_model(call.path(path), compile=compile_)


def find_model_weight(call):
    """The Keras variable."""
    return call.find("of").weights[call.argument("index")]


@steps.step("model.weight")
def weight(call):
    return find_model_weight(call).value


@steps.step("model.optimizer")
def optimizer(call):
    return call.find("of").optimizer


@steps.step("model.export")
def export(call):
    call.find("of").export(call.path(call.argument("folder")))


@steps.step("model.exported_variables")
def exported_variables(call):
    loaded = tf.saved_model.load(call.path(call.argument("folder")))
    return [variable.numpy().tolist() for variable in loaded.variables]


# As https://www.tensorflow.org/tutorials/distribute/save_and_load has it, in a scope too.
@steps.step("saved_model.load")
def load_saved_model(call):
    return tf.saved_model.load(call.path(call.argument("folder")))


@steps.step("saved_model.run")
def run_saved_model(call):
    infer = call.find("of").signatures["serving_default"]
    (result,) = infer(call.value("x")).values()
    return result
