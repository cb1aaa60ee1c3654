"""model.*, saved_model.*: whole models in files, as TensorFlow offers them, with Keras's own variables."""

from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow import export_steps

steps = StepTable(export_steps.steps)


@steps.step("model.weight")
def weight(call):
    return export_steps.find_model_weight(call)


# As the documentation of Model.export has it: https://keras.io/api/models/model_saving_apis/export/
@steps.step("saved_model.run")
def run_saved_model(call):
    return call.find("of").serve(call.value("x"))
