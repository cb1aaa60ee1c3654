"""input.*: reading what experimental_distribute_dataset gave."""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow import traced_steps
from conformance.testees.tensorflow.distributed import Input
from conformance.testees.tensorflow.keep_alive import keep_alive

steps = StepTable()


def batch_size(element):
    return tf.nest.flatten(element)[0].shape[0]


@steps.step("input.elements")
def elements(call):
    return list(call.find("of"))


@steps.step("input.batch_sizes")
def batch_sizes(call):
    steps_ = [element.local_results() for element in call.find("of")]
    return [[batch_size(own) for own in step] for step in steps_]


@steps.step("input.count_batches")
def count_batches(call):
    # operations.md (input.count_batches)
    return sum(len(element.local_results()) for element in call.find("of"))


@steps.step("input.cardinality")
def cardinality(call):
    return int(call.find("of").source.cardinality)


@steps.step("input.is_dataset")
def is_dataset(call):
    of = call.find("of")
    return isinstance(getattr(of, "source", of), tf.data.Dataset)


@steps.step("input.element_spec")
def element_spec(call):
    of = call.find("of")
    if not isinstance(of, Input):
        return describe(of.element_spec)
    # A PerReplicaSpec has no other way to its parts; on one replica there is none.
    specs = tf.nest.flatten(of.source.element_spec)
    parts = [getattr(spec, "_value_specs", (spec,)) for spec in specs]
    return [describe(tf.nest.pack_sequence_as(of.source.element_spec, own)) for own in zip(*parts, strict=True)]


def describe(spec):
    return tf.nest.map_structure(lambda leaf: {"shape": leaf.shape.as_list(), "dtype": leaf.dtype.name}, spec)


@steps.step("input.per_replica_batch_size")
def per_replica_batch_size(call):
    size = call.integer("global_batch_size")
    return call.find("of").context.get_per_replica_batch_size(size)


@steps.step("input.for_each")
def for_each(call):
    if not tf.executing_eagerly():
        traced_steps.trace_loop(call)
        return
    call.run_for_each(call.find("of"))


@steps.step("input.iterator")
def iterator(call):
    input_ = call.find("of")
    return Input(input_.strategy, keep_alive(iter(input_.source)))


@steps.step("input.next")
def next_(call):
    input_ = call.find("of")
    return input_.mark(next(input_.source))


@steps.step("input.get_next")
def get_next(call):
    input_ = call.find("of")
    return input_.mark(input_.source.get_next())


@steps.step("input.next_as_optional")
def next_as_optional(call):
    input_ = call.find("of")
    return Input(input_.strategy, input_.source.get_next_as_optional())


@steps.step("input.has_value")
def has_value(call):
    present = call.find("of").source.has_value()
    return present if tf.is_symbolic_tensor(present) else bool(present)


@steps.step("input.get_value")
def get_value(call):
    optional = call.find("of")
    return optional.mark(optional.source.get_value())
