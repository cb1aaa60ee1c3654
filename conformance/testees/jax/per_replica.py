"""Values that differ by replica: an array stacked along an axis that a mesh divides."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

AXIS = "replica"


class PerReplica:
    """`stacked[r]` is replica r's, and is on the r-th device of the mesh."""

    def __init__(self, stacked):
        self.stacked = stacked


def is_per_replica(value):
    return isinstance(value, PerReplica)


def tree_map(function, tree, *rest):
    """jax.tree.map with values that differ by replica as leaves."""
    return jax.tree.map(function, tree, *rest, is_leaf=is_per_replica)


def mesh_of(devices):
    """A mesh of one axis over these devices, one per replica."""
    types = (jax.sharding.AxisType.Auto,)
    return jax.make_mesh((len(devices),), (AXIS,), devices=devices, axis_types=types)


def sharding(mesh, *axes):
    return NamedSharding(mesh, PartitionSpec(*axes))


def from_function(mesh, function):
    """The value that is function(r) on replica r. ValueError for unequal shapes."""
    # https://docs.jax.dev/en/latest/_autosummary/jax.make_array_from_callback.html
    stacked = np.stack([function(replica) for replica in range(mesh.size)])
    over_replicas = sharding(mesh, AXIS)
    return PerReplica(jax.make_array_from_callback(stacked.shape, over_replicas, lambda index: stacked[index]))


def divide(mesh, batch):
    """A global batch, each replica's rows on its device.

    Raises ValueError, which is JAX's, where the rows do not divide by the replicas.
    """
    over_replicas = sharding(mesh, AXIS)
    rows = jax.device_put(batch, over_replicas)
    # https://docs.jax.dev/en/latest/notebooks/shard_map.html (the shape of a shard)
    own = rows.shape[0] // mesh.size
    shape = (mesh.size, own, *rows.shape[1:])
    stack = jax.jit(lambda array: jnp.reshape(array, shape), out_shardings=over_replicas)
    return PerReplica(stack(rows))


def own_rows(stacked):
    """The rows on this process's devices, in order: those of its replicas."""
    # https://docs.jax.dev/en/latest/_autosummary/jax.Array.addressable_shards.html
    shards = sorted(stacked.addressable_shards, key=_first_row)
    # https://docs.jax.dev/en/latest/_autosummary/jax.Array.addressable_shards.html
    return np.concatenate([np.asarray(shard.data) for shard in shards])


def on_each_device(array):
    """The parts of the array on each of this process's devices, in their order."""
    # https://docs.jax.dev/en/latest/_autosummary/jax.Array.addressable_shards.html
    shards = sorted(array.addressable_shards, key=lambda shard: shard.device.id)
    return [shard.data for shard in shards]


def _first_row(shard):
    return shard.index[0].start or 0


def is_on_replica():
    """Whether this is traced for one replica, inside a shard_map."""
    return AXIS in jax.sharding.get_abstract_mesh().manual_axes
