"""program.traced, function.*: tf.function, and loops and conditions inside it."""

import tensorflow as tf

from conformance.testees.python import program_steps
from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.distributed import Distributed

steps = StepTable()


@steps.step("program.traced")
def traced(call):
    # AutoGraph would convert the testee, of which loops alone need it: trace_loop.
    @tf.function(autograph=False)
    def function():
        inner = call.inner()
        call.run_block(inner)
        return call.result(inner)

    return function()


@steps.step("program.when")
def when(call):
    condition = call.value("of")
    if not tf.is_symbolic_tensor(condition):
        program_steps.when(call)
        return

    def block():
        call.run_block(call.inner())
        return tf.no_op()

    tf.cond(tf.cast(condition, tf.bool), block, tf.no_op)


def loop(elements, body):
    for element in elements:
        body(element)


def loop_until(elements, body):
    for element in elements:
        if body(element):
            break


def loop_and_return(elements, body):
    for element in elements:
        if body(element):
            return


def loop_of(call):
    """The loop that the step asks for, as a function that AutoGraph converts."""
    if not call.has("until"):
        return loop
    return {"break": loop_until, "return": loop_and_return}[call.argument("leave", "break")]


def trace_loop(call):
    """The step input.for_each inside a traced function."""
    of = call.find("of")

    @tf.autograph.experimental.do_not_convert
    def body(element):
        inner = call.inner(**{call.argument("as"): of.mark(element)})
        call.run_block(inner)
        return inner.find(call.argument("until")) if call.has("until") else None

    tf.autograph.to_graph(loop_of(call))(of.source, body)


@steps.step("function.create")
def create(call):
    strategy = tf.distribute.get_strategy()

    def replica_step(argument):
        inner = call.inner(**{call.argument("as"): argument})
        call.run_block(inner)
        return call.result(inner)

    signature = [call.find("signature").source.element_spec] if call.has("signature") else None

    @tf.function(autograph=False, input_signature=signature)
    def function(argument):
        return strategy.run(replica_step, args=(argument,))

    return function


@steps.step("function.call")
def call_function(call):
    argument = call.find("value")
    result = call.find("of")(argument.value)
    return None if result is None else Distributed(argument.strategy, result)


@steps.step("function.signatures")
def signatures(call):
    return call.find("of").experimental_get_tracing_count()
