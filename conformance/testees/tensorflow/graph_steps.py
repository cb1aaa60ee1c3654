"""graph.*: programs of TensorFlow 1, by the graphs and sessions of tf.compat.v1."""

import functools

import tensorflow as tf

from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.distributed import Distributed, Input
from conformance.testees.tensorflow.strategy_steps import NamedContext
from conformance.testees.tensorflow.variable_steps import copies_of

steps = StepTable()

v1 = tf.compat.v1


@functools.cache
def session_of(graph):
    """The session in which everything of a graph is evaluated."""
    devices = {"CPU": len(tf.config.list_logical_devices("CPU"))}
    return v1.Session(graph=graph, config=v1.ConfigProto(device_count=devices))


def evaluate_now(fetches):
    graph = tf.nest.flatten(fetches)[0].graph
    return session_of(graph).run(fetches)


@steps.step("graph.build")
def build(call):
    # Each graph says again which strategy is in force.
    strategy = tf.distribute.get_strategy()
    with tf.Graph().as_default() as graph, strategy.scope():
        call.run_block_here()
    return graph


class Iterator(Input):
    """With what begins its pass, which is part of the graph too."""

    def __init__(self, strategy, source):
        super().__init__(strategy, source)
        self.initializer = source.initialize()


@steps.step("graph.dataset_iterator")
def dataset_iterator(call):
    strategy = tf.distribute.get_strategy()
    return Iterator(strategy, strategy.make_dataset_iterator(call.find("of")))


@steps.step("graph.input_fn_iterator")
def input_fn_iterator(call):
    strategy = tf.distribute.get_strategy()

    def make_dataset(context):
        inner = call.inner(**{call.argument("as"): NamedContext(context)})
        call.run_block(inner)
        return call.result(inner)

    return Iterator(strategy, strategy.make_input_fn_iterator(make_dataset))


@steps.step("graph.run")
def run(call):
    iterator = call.find("of")

    def replica_step(element):
        inner = call.inner(**{call.argument("as"): element})
        call.run_block(inner)
        return call.result(inner)

    result = iterator.strategy.experimental_run(replica_step, iterator.source)
    return Distributed(iterator.strategy, result)


@steps.step("graph.reduce")
def reduce(call):
    future = call.find("of")
    return future.strategy.reduce(call.argument("op"), future.value, axis=None)


@steps.step("graph.cross_entropy")
def cross_entropy(call):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(logits=call.value("logits"), labels=call.value("labels"))


@steps.step("graph.gradient_descent")
def gradient_descent(call):
    return v1.train.GradientDescentOptimizer(float(call.argument("learning_rate")))


@steps.step("graph.minimize")
def minimize(call):
    inner = call.inner()
    call.run_block(inner)
    loss = call.result(inner)
    update = call.find("of").minimize(loss, var_list=call.find_all("variables"))
    with tf.control_dependencies([update]):
        return tf.identity(loss)


@steps.step("graph.initialize_variables")
def initialize_variables(call):
    with call.find("of").as_default():
        evaluate_now(v1.global_variables_initializer())


@steps.step("graph.initialize")
def initialize(call):
    evaluate_now(call.find("of").initializer)


def plain(arrays):
    return tf.nest.map_structure(lambda array: array.tolist(), arrays)


@steps.step("graph.evaluate")
def evaluate(call):
    future = call.find("of")
    if isinstance(future, Distributed):
        return [plain(part) for part in evaluate_now(list(future.local_results()))]
    return plain(evaluate_now(future))


@steps.step("graph.copies")
def copies(call):
    own = copies_of(call.find("of"))
    with own[0].graph.as_default():
        return plain(evaluate_now([copy.read_value() for copy in own]))
