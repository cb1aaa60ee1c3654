"""coordinator.*, remote.*, cluster.*: tf.distribute.coordinator.ClusterCoordinator and its cluster.

As TensorFlow's tutorials of parameter servers and of distributed input use it.
"""

import contextlib

import tensorflow as tf

from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.distributed import Input, differs, unwrap
from conformance.testees.tensorflow.parameter_server import partitioner_steps
from conformance.testees.tensorflow.parameter_server.cluster import SERVER, WORKER, Cluster
from conformance.testees.tensorflow.strategy_steps import NamedContext

steps = StepTable(partitioner_steps.steps)

TASKS = {"worker": WORKER, "server": SERVER}
_CLUSTER = "cluster"  # the name by which steps find the program's cluster; no program can use it


@contextlib.contextmanager
def given_cluster(given, make_devices):
    """The names of a program in the coordinator of a cluster, which is there while it runs."""
    partitioner = given.get("partitioner")
    with Cluster(given["workers"], given["servers"]) as cluster:
        make_devices(given.get("logical_devices", 1))
        strategy = tf.distribute.ParameterServerStrategy(
            cluster.resolver(),
            variable_partitioner=partitioner_steps.partitioner_of(partitioner) if partitioner else None,
        )
        with strategy.scope():
            yield {"strategy": strategy, _CLUSTER: cluster}


def plain_result(strategy, value):
    """What differs by replica as the value of the only one."""
    if isinstance(value, dict):
        return {key: plain_result(strategy, part) for key, part in value.items()}
    if isinstance(value, tuple):
        return tuple(plain_result(strategy, part) for part in value)
    if not differs(value):
        return value
    return strategy.experimental_local_results(unwrap(value))[0]


def marked(strategy, argument):
    """An argument as steps inside the function expect it."""
    if isinstance(argument, (tf.data.Iterator, tf.distribute.DistributedIterator)):
        return Input(strategy, argument)
    return argument


@steps.step("coordinator.function")
def function(call):
    strategy = tf.distribute.get_strategy()

    @tf.function(autograph=False)
    def scheduled(**arguments):
        own = {name: marked(strategy, argument) for name, argument in arguments.items()}
        inner = call.inner(**({call.argument("as"): own} if call.has("as") else {}))
        call.run_block(inner)
        return plain_result(strategy, call.result(inner))

    return scheduled


steps.unsupported("dataset.creator", "Keras 3 has no DatasetCreator: its fit trains under no parameter servers")


@steps.step("coordinator.dataset_function")
def dataset_function(call):
    """What distribute_datasets_from_function and Keras 2's DatasetCreator take."""

    def make_dataset(context):
        inner = call.inner(**{call.argument("as"): NamedContext(context)})
        call.run_block(inner)
        return call.result(inner)

    return make_dataset


@steps.step("coordinator.create")
def create(call):
    return tf.distribute.coordinator.ClusterCoordinator(tf.distribute.get_strategy())


@steps.step("coordinator.per_worker_dataset")
def per_worker_dataset(call):
    strategy, make_dataset = tf.distribute.get_strategy(), call.find("function")

    @tf.function(autograph=False)
    def per_worker_function():
        return strategy.distribute_datasets_from_function(make_dataset)

    return Input(strategy, call.find("of").create_per_worker_dataset(per_worker_function))


def argument_of(value):
    return value.source if isinstance(value, Input) else unwrap(value)


@steps.step("coordinator.schedule")
def schedule(call):
    arguments = {name: argument_of(value) for name, value in call.bindings("args").items()}
    return call.find("of").schedule(call.find("function"), kwargs=arguments)


@steps.step("coordinator.join")
def join(call):
    call.find("of").join()


@steps.step("coordinator.done")
def done(call):
    return call.find("of").done()


def fetched(values):
    """NumPy's arrays, as which values are fetched, as tensors."""
    return tf.nest.map_structure(lambda value: value if value is None else tf.constant(value), values)


@steps.step("coordinator.fetch")
def fetch(call):
    return fetched(call.find("of").fetch(call.bindings("values")))


@steps.step("remote.fetch")
def fetch_remote(call):
    return fetched(call.find("of").fetch())


@steps.step("cluster.kill")
def kill(call):
    call.environment.find(_CLUSTER).kill(TASKS[call.argument("task")], call.argument("index"))


@steps.step("cluster.start")
def start(call):
    call.environment.find(_CLUSTER).start(TASKS[call.argument("task")], call.argument("index"))
