"""gradient.*: tf.GradientTape."""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("gradient.tape")
def tape(call):
    sources = call.find_all("sources")
    with tf.GradientTape() as recorder:
        recorder.watch([s for s in sources if not isinstance(s, tf.Variable)])
        call.run_block_here()
    return tuple(recorder.gradient(call.value("target"), sources))
