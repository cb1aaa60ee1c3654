"""precision.*, layer.*: as TensorFlow offers them, with Keras's own variables."""

from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow import precision_steps

steps = StepTable(precision_steps.steps)


@steps.step("layer.weight")
def weight(call):
    return precision_steps.find_weight(call)
