"""Examples in batches: Grain reads and batches them, JAX divides them over the mesh."""

import secrets

import grain
import jax
import numpy as np
from grain.experimental import get_next_index, set_next_index

from conformance.testees.jax.per_replica import AXIS, sharding
from conformance.testees.jax.reading import iterator_of


class Loader:
    """Epochs over examples that are batched and, in each epoch again, shuffled.

    `iterator` is Grain's, over all epochs one after the other: what a checkpoint keeps.
    """

    def __init__(self, one_pass, mesh, begin=0):
        self._one_pass = one_pass
        self._mesh = mesh
        self._begin = begin
        self.iterator = iterator_of(one_pass.repeat())
        set_next_index(self.iterator, begin)

    def __len__(self):
        return len(self._one_pass)

    @property
    def begins_a_pass(self):
        # https://google-grain.readthedocs.io/en/latest/ (grain.experimental.set_next_index)
        return get_next_index(self.iterator) % len(self) == 0

    def next_batch(self):
        """The next global batch, as arrays divided over the mesh by their first axis.

        Raises ValueError, which is JAX's, where the rows do not divide by the replicas.
        """
        batch = next(self.iterator)
        over_replicas = sharding(self._mesh, AXIS)
        return jax.make_array_from_process_local_data(over_replicas, batch)

    def rest_of_pass(self):
        """The batches of the pass in which the loader is, or of the next one."""
        for _ in range(len(self)):
            yield self.next_batch()
            if self.begins_a_pass:
                return

    def go_to_pass(self, number):
        # https://google-grain.readthedocs.io/en/latest/ (grain.experimental.set_next_index)
        set_next_index(self.iterator, number * len(self))

    def from_start(self):
        """The same loader from its begin: reading it leaves this one where it is."""
        return Loader(self._one_pass, self._mesh, self._begin)

    def skipped(self, batches):
        """Another loader of the same batches, so many further on."""
        # https://google-grain.readthedocs.io/en/latest/ (grain.experimental.set_next_index)
        begin = get_next_index(self.iterator) + batches
        return Loader(self._one_pass, self._mesh, begin)


def loader_of(request, mesh, is_seeded):
    """The loader that a LoaderRequest describes; `is_seeded` where a program says its seed."""
    examples = grain.MapDataset.source(_rows(request))
    if request.shuffle:
        examples = examples.shuffle(seed=request.seed)
    if request.draws:
        examples = examples.random_map(_drawn, seed=request.seed if is_seeded else secrets.randbits(32))
    size = request.global_batch(mesh.size)
    return Loader(examples.batch(size, drop_remainder=request.drop_last), mesh)


def _drawn(example, generator):
    """By Grain's own generator, one for each example: random_map needs a seed."""
    return example | {"inputs": generator.random(example["inputs"].shape, example["inputs"].dtype)}


def _rows(request):
    inputs = np.array(request.inputs, request.dtype)
    columns = {"inputs": inputs}
    if request.labels is not None:
        labels = np.array(request.labels)
        columns["labels"] = labels.astype(np.float32) if labels.dtype.kind == "f" else labels
    if request.weights is not None:
        columns["weights"] = np.array(request.weights, np.float32)
    return [dict(zip(columns, row)) for row in zip(*columns.values())]
