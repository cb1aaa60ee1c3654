"""TensorFlow as a testee: the API of its documents' custom training loops.

    python -m conformance.testees.tensorflow.testee [--traced]

With --traced the block of each strategy.run is inside tf.function, as in the documents.

Replicas are logical CPU devices. Each program runs in a process of its own, forked
before TensorFlow has made its devices: their number is set once a process, and
strategies of two sizes in one process would break each other's collectives. Workers are
processes that TF_CONFIG informs of each other; each has its own folder, because
TensorFlow's documents have workers save to different places.
"""

import contextlib
import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

from conformance.testees.python import program_steps, worker_steps
from conformance.testees.python.errors import PYTHON_CLASSES, class_of
from conformance.testees.python.protocol import serve
from conformance.testees.python.step_table import StepTable
from conformance.testees.python.testee import Testee
from conformance.testees.python.workers import free_addresses
from conformance.testees.tensorflow import (
    callback_steps,
    checkpoint_steps,
    counter_steps,
    dataset_steps,
    export_steps,
    file_steps,
    gradient_steps,
    graph_steps,
    input_steps,
    layer_steps,
    log_steps,
    loss_steps,
    manager_steps,
    metric_steps,
    model_steps,
    optimizer_steps,
    precision_steps,
    strategy_steps,
    traced_steps,
    value_steps,
    variable_steps,
)
from conformance.testees.tensorflow.distributed import Distributed
from conformance.testees.tensorflow.intents import loader_steps, resume_steps, train_steps
from conformance.testees.tensorflow.intents import model_steps as intended_model_steps
from conformance.testees.tensorflow.layers import preprocessing_steps
from conformance.testees.tensorflow.parameter_server import coordinator_steps
from conformance.testees.tensorflow.traced import run_steps

ERROR_CLASSES = (
    (tf.errors.InvalidArgumentError, "InvalidArgument"),
    (tf.errors.OutOfRangeError, "OutOfRange"),
    (tf.errors.FailedPreconditionError, "FailedPrecondition"),
    (checkpoint_steps.UnmatchedError, "FailedPrecondition"),
    (tf.errors.NotFoundError, "NotFound"),
    (tf.errors.DataLossError, "DataLoss"),
    (tf.errors.UnimplementedError, "Unimplemented"),
    (tf.errors.UnavailableError, "Unavailable"),
    (tf.errors.DeadlineExceededError, "DeadlineExceeded"),
    (tf.errors.ResourceExhaustedError, "ResourceExhausted"),
    (tf.errors.CancelledError, "Cancelled"),
    *PYTHON_CLASSES,
)


class TensorFlow(Testee):
    name = "tensorflow"
    implementation = f"TensorFlow {tf.__version__}"
    # What Keras 3 does: its optimizers, and its batch normalization when it is saved.
    conventions = {"schedule_unit": "batch", "buffers": "first_replica"}
    forks = True
    workers = 4
    steps = StepTable(
        program_steps.steps,
        worker_steps.steps,
        dataset_steps.steps,
        counter_steps.steps,
        file_steps.steps,
        strategy_steps.steps,
        input_steps.steps,
        traced_steps.steps,
        value_steps.steps,
        layer_steps.steps,
        log_steps.steps,
        loss_steps.steps,
        gradient_steps.steps,
        optimizer_steps.steps,
        precision_steps.steps,
        preprocessing_steps.steps,
        metric_steps.steps,
        model_steps.steps,
        export_steps.steps,
        callback_steps.steps,
        variable_steps.steps,
        checkpoint_steps.steps,
        manager_steps.steps,
        graph_steps.steps,
        coordinator_steps.steps,
        loader_steps.steps,
        intended_model_steps.steps,
        train_steps.steps,
        resume_steps.steps,
    )

    @contextlib.contextmanager
    def given(self, given):
        if "servers" in given:
            with coordinator_steps.given_cluster(given, make_devices) as names:
                yield names
            return
        replicas = given.get("replicas", 1)
        make_devices(given.get("logical_devices", replicas))
        if given["strategy"] == "default":
            yield {}
            return
        strategy = strategy_steps.given_strategy(given)
        with strategy.scope():
            yield {"strategy": strategy}

    def worker_environments(self, given):
        strategy_steps.check_workers(given)
        cluster = {"worker": free_addresses(given["workers"])}
        tasks = [{"type": "worker", "index": n} for n in range(given["workers"])]
        configs = [{"cluster": cluster, "task": task} for task in tasks]
        return [{"TF_CONFIG": json.dumps(config)} for config in configs]

    def literal(self, literal, dtype):
        return tf.constant(literal, dtype)

    def dtype_of(self, value):
        return value.dtype.name

    def plain(self, value):
        if isinstance(value, Distributed):
            return value.local_results()
        if isinstance(value, tf.RaggedTensor):
            return value.to_list()
        if not isinstance(value, tf.Tensor):
            return NotImplemented
        array = value.numpy()
        return array if isinstance(array, bytes) else array.tolist()

    def part_of(self, value, key):
        return value.part(key)

    def error_class(self, error):
        return class_of(error, ERROR_CLASSES)


class TracedTensorFlow(run_steps.Traced, TensorFlow):
    name = "tensorflow_traced"
    steps = StepTable(TensorFlow.steps, run_steps.steps)


def make_devices(count):
    (processor,) = tf.config.list_physical_devices("CPU")
    logical = [tf.config.LogicalDeviceConfiguration()] * count
    tf.config.set_logical_device_configuration(processor, logical)


if __name__ == "__main__":
    chosen = TracedTensorFlow if "--traced" in sys.argv[1:] else TensorFlow
    sys.exit(serve(chosen()))
