"""partitioner.*, and variable.* of variables on parameter servers."""

import tensorflow as tf

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.parameter_server.shards import shards_of

steps = StepTable()

_PARTITIONERS = tf.distribute.experimental.partitioners
KINDS = {
    "fixed_shards": _PARTITIONERS.FixedShardsPartitioner,
    "min_size": _PARTITIONERS.MinSizePartitioner,
    "max_size": _PARTITIONERS.MaxSizePartitioner,
}
NUMBERS = ("num_shards", "min_shard_bytes", "max_shard_bytes", "max_shards")


def partitioner_of(arguments):
    """The partitioner of a kind, which takes its numbers by the names of operations.md."""
    numbers = {name: number for name, number in arguments.items() if name != "kind"}
    return KINDS[arguments["kind"]](**numbers)


@steps.step("partitioner.partitions")
def partitions(call):
    numbers = {name: call.argument(name) for name in NUMBERS if call.has(name)}
    partitioner = partitioner_of({"kind": call.argument("kind"), **numbers})
    return list(partitioner(tf.TensorShape(call.argument("shape")), tf.as_dtype(call.dtype())))


@steps.step("variable.shards")
def shards(call):
    return [shard.shape.as_list() for shard in shards_of(call.find("of"))]


@steps.step("variable.servers")
def servers(call):
    tasks = [tf.DeviceSpec.from_string(shard.device) for shard in shards_of(call.find("of"))]
    if any(task.job != "ps" for task in tasks):
        raise Unsupported("the variable is on no parameter server")
    return [task.task for task in tasks]


@steps.step("variable.lookup")
def lookup(call):
    ids = call.value("ids", dtype="int64")
    return tf.nn.embedding_lookup(call.find("of"), ids)
