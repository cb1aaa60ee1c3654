"""TensorFlow with tf_keras, Keras 2, whose fit the documents describe.

    python -m conformance.testees.tf_keras.testee [--traced]

What tf.keras is, a variable of the environment says before TensorFlow is imported. All
else is TensorFlow's testee; steps of their own are what Keras 2 has otherwise.
"""

import os
import sys

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import tf_keras

from conformance.testees.python.protocol import serve
from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.testee import TensorFlow
from conformance.testees.tensorflow.traced import run_steps
from conformance.testees.tf_keras import creator_steps, intent_steps, state_steps, update_steps


class TfKeras(TensorFlow):
    name = "tf_keras"
    implementation = f"tf_keras {tf_keras.__version__}"
    conventions = {}  # moving moments are means, and nothing accumulates
    steps = StepTable(
        TensorFlow.steps, state_steps.steps, update_steps.steps, intent_steps.steps, creator_steps.steps
    )


class TracedTfKeras(run_steps.Traced, TfKeras):
    name = "tf_keras_traced"
    steps = StepTable(TfKeras.steps, run_steps.steps)


if __name__ == "__main__":
    chosen = TracedTfKeras if "--traced" in sys.argv[1:] else TfKeras
    sys.exit(serve(chosen()))
