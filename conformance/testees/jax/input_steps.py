"""Datasets: JAX has none, its documents feed it NumPy arrays, and so do these steps.

A dataset is an array of rows, or a tree of them; a batched one is the list of its
slices. Reading what was distributed puts one global batch after another on the devices.
"""

import jax
import numpy as np

from conformance.testees.jax.per_replica import is_per_replica, own_rows
from conformance.testees.python.errors import Unsupported
from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("dataset.range")
def range_(call):
    return np.arange(call.integer("start", 0), call.integer("stop"))


@steps.step("dataset.from_tensors")
def from_tensors(call):
    return jax.tree.map(lambda value: value[None], _arrays(call))


@steps.step("dataset.from_tensor_slices")
def from_tensor_slices(call):
    return _arrays(call)


@steps.step("dataset.batch")
def batch(call):
    rows, size = _unbatched(call.find("of")), call.argument("size")
    stop = len(jax.tree.leaves(rows)[0])
    if call.argument("drop_remainder", False):
        stop -= stop % size
    return [
        jax.tree.map(lambda array: array[start : start + size], rows)
        for start in range(0, stop, size)
    ]


@steps.step("dataset.elements")
def elements_of_dataset(call):
    return list(call.find("of"))


@steps.step("input.elements")
def elements(call):
    return list(call.find("of"))


@steps.step("input.batch_sizes")
def batch_sizes(call):
    return [[size] * replicas for replicas, size in map(_shape, call.find("of"))]


@steps.step("input.count_batches")
def count_batches(call):
    return sum(replicas for replicas, _ in map(_shape, call.find("of")))


@steps.step("input.for_each")
def for_each(call):
    rounds = []
    for element in call.find("of"):
        rounds.append(call.inner(**{call.argument("as"): element}))
        call.run_block(rounds[-1])
    call.observe_rounds(rounds)


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


def _unbatched(rows):
    if isinstance(rows, list):
        raise Unsupported("batches are slices of an array, and not sliced again")
    return rows


def _shape(element):
    """(replicas, rows of each)"""
    leaf = jax.tree.leaves(element, is_leaf=is_per_replica)[0]
    return own_rows(leaf.stacked).shape[:2]
