"""gradient.*: the tape of Keras's backend, as in its guide to custom training loops."""

import keras
import tensorflow as tf

from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("gradient.tape")
def tape(call):
    sources = [source.value if isinstance(source, keras.Variable) else source for source in call.find_all("sources")]
    with tf.GradientTape() as recorder:
        recorder.watch([s for s in sources if not isinstance(s, tf.Variable)])
        call.run_block_here()
    return tuple(recorder.gradient(call.value("target"), sources))
