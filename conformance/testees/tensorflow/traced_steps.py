"""program.traced: tf.function, and loops inside it."""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable

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


def loop(elements, body):
    for element in elements:
        body(element)


def trace_loop(call):
    """The step input.for_each inside a traced function."""
    of = call.find("of")

    @tf.autograph.experimental.do_not_convert
    def body(element):
        call.run_block(call.inner(**{call.argument("as"): of.mark(element)}))

    tf.autograph.to_graph(loop)(of.source, body)
