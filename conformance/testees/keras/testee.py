"""Keras on TensorFlow as a testee: its own losses, metrics, optimizers, variables, Model.

    python -m conformance.testees.keras.testee

Replicas are those of a tf.distribute.MirroredStrategy, as Keras's guide to distributed
training with TensorFlow has it; datasets are tf.data's. What Keras leaves to
TensorFlow (collectives, the scaling of losses, checkpoints of objects) is missing
here: the testee beside this one shows it.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ["KERAS_BACKEND"] = "tensorflow"

import keras

from conformance.testees.keras import (
    export_steps,
    gradient_steps,
    input_steps,
    layer_steps,
    optimizer_steps,
    unsupported_steps,
    value_steps,
    variable_steps,
)
from conformance.testees.keras.intents import loader_steps, resume_steps, train_steps
from conformance.testees.keras.intents import model_steps as intended_model_steps
from conformance.testees.python import program_steps
from conformance.testees.python.protocol import serve
from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow import (
    callback_steps,
    counter_steps,
    dataset_steps,
    file_steps,
    log_steps,
    loss_steps,
    metric_steps,
    model_steps,
    precision_steps,
    strategy_steps,
    traced_steps,
)
from conformance.testees.tensorflow.layers import preprocessing_steps
from conformance.testees.tensorflow.testee import TensorFlow


class Keras(TensorFlow):
    name = "keras"
    implementation = f"Keras {keras.__version__}"
    workers = 0  # Keras 3 does not train under TensorFlow's strategy of several workers
    steps = StepTable(
        program_steps.steps,
        dataset_steps.steps,
        counter_steps.steps,
        file_steps.steps,
        strategy_steps.steps,
        input_steps.steps,
        traced_steps.steps,
        value_steps.steps,
        # What TensorFlow offers under these names is Keras's.
        log_steps.steps,
        loss_steps.steps,
        metric_steps.steps,
        model_steps.steps,
        export_steps.steps,
        callback_steps.steps,
        precision_steps.steps,
        preprocessing_steps.steps,
        layer_steps.steps,
        optimizer_steps.steps,
        gradient_steps.steps,
        variable_steps.steps,
        intended_model_steps.steps,
        loader_steps.steps,
        train_steps.steps,
        resume_steps.steps,
        unsupported_steps.steps,  # TensorFlow has them
    )

    def literal(self, literal, dtype):
        return keras.ops.convert_to_tensor(literal, dtype)

    def dtype_of(self, value):
        return keras.backend.standardize_dtype(value.dtype)


if __name__ == "__main__":
    sys.exit(serve(Keras()))
