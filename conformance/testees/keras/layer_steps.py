"""layer.*: as TensorFlow offers them, with Keras's own variables."""

from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow import layer_steps

steps = StepTable(layer_steps.steps)


@steps.step("layer.weight")
def weight(call):
    return layer_steps.find_weight(call)
