"""input.*: whole passes as a Model reads them, single steps from its strategy."""

import functools

import keras
import tensorflow as tf

from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow import input_steps
from conformance.testees.tensorflow.distributed import Input

steps = StepTable(input_steps.steps)


class Reader(keras.Model):
    """Keeps what Model.evaluate hands to each replica, step by step."""

    def __init__(self):
        super().__init__()
        self.seen = {}
        self.built = True  # it has no weights
        self.compile(run_eagerly=True)

    def call(self, inputs):
        return inputs

    def test_step(self, data):
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        self.seen.setdefault(int(replica), []).append(data)
        return {"read": keras.ops.ones(())}  # the loop needs some log


class ModelInput(Input):
    """A dataset that a Model, or else its strategy, divides over the replicas."""

    def __init__(self, strategy, dataset):
        self.strategy = strategy
        self.dataset = dataset

    @functools.cached_property
    def source(self):
        with tf.init_scope():  # it outlives a traced function that is the first to read it
            return self.strategy.experimental_distribute_dataset(self.dataset)


def read(input_):
    """The steps of a pass, each a tuple with the replicas' elements."""
    with input_.strategy.scope():
        reader = Reader()
    reader.evaluate(getattr(input_, "dataset", None) or input_.source, verbose=0)
    # operations.md (input.elements)
    by_replica = [reader.seen[replica] for replica in sorted(reader.seen)]
    return list(zip(*by_replica, strict=True))


@steps.step("strategy.distribute_dataset")
def distribute_dataset(call):
    return ModelInput(tf.distribute.get_strategy(), call.find("of"))


@steps.step("input.elements")
def elements(call):
    return read(call.find("of"))


@steps.step("input.batch_sizes")
def batch_sizes(call):
    steps_ = read(call.find("of"))
    return [[input_steps.batch_size(own) for own in step] for step in steps_]


@steps.step("input.count_batches")
def count_batches(call):
    # operations.md (input.count_batches)
    return sum(len(step) for step in read(call.find("of")))
