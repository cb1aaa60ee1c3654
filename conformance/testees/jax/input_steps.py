"""Datasets are Grain's, which JAX's documents advise.

Reading what was distributed puts one global batch after another on the devices.
"""

import grain
import jax
import numpy as np

from conformance.testees.jax.per_replica import is_per_replica, on_each_device
from conformance.testees.jax.reading import iterator_of
from conformance.testees.python.errors import Unsupported
from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("dataset.range")
def range_(call):
    return grain.MapDataset.range(call.integer("start", 0), call.integer("stop"))


@steps.step("dataset.from_tensors")
def from_tensors(call):
    return grain.MapDataset.source([_arrays(call)])


@steps.step("dataset.from_tensor_slices")
def from_tensor_slices(call):
    arrays, structure = jax.tree.flatten(_arrays(call))
    return grain.MapDataset.source([structure.unflatten(row) for row in zip(*arrays)])


@steps.step("dataset.batch")
def batch(call):
    drop = call.argument("drop_remainder", False)
    return call.find("of").batch(call.argument("size"), drop_remainder=drop)


@steps.step("dataset.repeat")
def repeat(call):
    return call.find("of").repeat(call.argument("count", None))


@steps.step("dataset.take")
def take(call):
    return call.find("of")[: call.argument("count")]


@steps.step("dataset.skip")
def skip(call):
    return call.find("of")[call.argument("count") :]


@steps.step("dataset.shard")
def shard(call):
    if not call.has("num_shards"):
        raise Unsupported("Grain shards by a slice of the dataset that the program takes, and has no policies")
    return call.find("of")[call.argument("index") :: call.argument("num_shards")]


@steps.step("dataset.concatenate")
def concatenate(call):
    # https://google-grain.readthedocs.io/en/latest/ (MapDataset.concatenate)
    return grain.MapDataset.concatenate([call.find("of"), call.find("other")])


@steps.step("dataset.zip")
def zip_(call):
    return grain.experimental.ZipMapDataset(call.find_all("of"))


@steps.step("dataset.enumerate")
def enumerate_(call):
    return call.find("of").map_with_index(lambda place, element: (place, element))


@steps.step("dataset.map")
def map_(call):
    def mapped(element):
        environment = call.inner(**{call.argument("as"): element})
        call.run_block(environment)
        return call.result(environment)

    return call.find("of").map(mapped)


@steps.step("dataset.elements")
def elements_of_dataset(call):
    return list(iterator_of(call.find("of")))


@steps.step("input.elements")
def elements(call):
    return list(call.find("of"))


@steps.step("input.batch_sizes")
def batch_sizes(call):
    return [_sizes(element) for element in call.find("of")]


@steps.step("input.count_batches")
def count_batches(call):
    # operations.md (input.count_batches)
    return sum(len(_sizes(element)) for element in call.find("of"))


@steps.step("input.for_each")
def for_each(call):
    call.run_for_each(call.find("of"))


@steps.step("input.iterator")
def iterator(call):
    return iter(call.find("of"))


@steps.step("input.next")
def next_(call):
    return next(call.find("of"))


def _arrays(call):
    if call.dtype() == "string":
        raise Unsupported("an array of JAX holds no texts")
    value, dtype = call.argument("value"), call.dtype()
    if isinstance(value, dict):
        return {key: np.array(rows, dtype) for key, rows in value.items()}
    return np.array(value, dtype)


def _sizes(element):
    """The number of rows on each device: its shard is of one replica, the first axis."""
    leaf = jax.tree.leaves(element, is_leaf=is_per_replica)[0]
    return [shard.shape[1] for shard in on_each_device(leaf.stacked)]
