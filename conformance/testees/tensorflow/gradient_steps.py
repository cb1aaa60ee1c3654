"""gradient.*: tf.GradientTape."""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.parameter_server.shards import is_divided, shards_of

steps = StepTable()


@steps.step("gradient.tape")
def tape(call):
    sources = call.find_all("sources")
    with tf.GradientTape() as recorder:
        recorder.watch([s for s in sources if not isinstance(s, tf.Variable) and not is_divided(s)])
        call.run_block_here()
    # The gradient of a divided variable is a list of those of its parts.
    sources = [shards_of(source) if is_divided(source) else source for source in sources]
    return tuple(recorder.gradient(call.value("target"), sources))
