"""optimizer.*: as TensorFlow offers them, with Keras's own variables."""

from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow import optimizer_steps

steps = StepTable(optimizer_steps.steps)


@steps.step("optimizer.slot")
def slot(call):
    return optimizer_steps.find_slot(call)
