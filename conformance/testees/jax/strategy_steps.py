"""strategy.* and collective.*: meshes, shard_map and the collectives of jax.lax."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec

from conformance.testees.jax.per_replica import (
    AXIS,
    PerReplica,
    divide,
    from_function,
    is_on_replica,
    is_per_replica,
    mesh_of,
    own_rows,
    tree_map,
)
from conformance.testees.jax.reading import iterator_of
from conformance.testees.python.tracing import fill
from conformance.testees.python.environment import observation_names
from conformance.testees.python.errors import Unsupported
from conformance.testees.python.observation import observation_of
from conformance.testees.python.step_table import StepTable

steps = StepTable()

ALL_REDUCE = {"sum": jax.lax.psum, "mean": jax.lax.pmean}


@steps.step("strategy.create")
def create(call):
    if not call.has("devices"):
        return mesh_of(jax.devices())
    return mesh_of([_device(text) for text in call.argument("devices")])


@steps.step("strategy.scope")
def scope(call):
    with jax.set_mesh(call.find("of")):
        call.run_block_here()


@steps.step("strategy.num_replicas_in_sync")
def num_replicas_in_sync(call):
    return call.find("of", jax.sharding.get_abstract_mesh()).size


@steps.step("strategy.context")
def context(call):
    mesh = jax.sharding.get_abstract_mesh()
    if mesh.empty:
        raise Unsupported("without a mesh there is nothing to ask")
    own_id = jax.lax.axis_index(AXIS) if is_on_replica() else None
    return {
        "has_strategy": True,
        "in_cross_replica_context": own_id is None,
        "num_replicas_in_sync": jnp.float32(mesh.size),
        "replica_id_in_sync_group": None if own_id is None else jnp.float32(own_id),
    }


@steps.step("strategy.distribute_values")
def distribute_values(call):
    if not call.has("values"):
        return _distribute_ids()
    values = [np.array(value, call.dtype()) for value in call.argument("values")]
    try:
        return from_function(jax.sharding.get_mesh(), values.__getitem__)
    except ValueError as error:
        raise Unsupported("the shards of an array have one shape") from error


def _distribute_ids():
    mesh = jax.sharding.get_mesh()
    return tuple(from_function(mesh, function) for function in (np.int32, lambda replica: np.int32(mesh.size)))


@steps.step("strategy.distribute_dataset")
def distribute_dataset(call):
    return Input(jax.sharding.get_mesh(), call.find("of"))


class Input:
    """Batches that go to the devices one by one as they are read."""

    def __init__(self, mesh, dataset):
        self._mesh = mesh
        self._dataset = dataset

    def __iter__(self):
        for batch in iterator_of(self._dataset):
            yield jax.tree.map(lambda rows: divide(self._mesh, rows), batch)


@steps.step("strategy.run")
def run(call):
    replica = ReplicaFunction(call)
    mesh = call.find("of") if call.has("of") else jax.sharding.get_mesh()
    results = replica(mesh, call.bindings("args"))
    return jax.tree.map(PerReplica, results)


class ReplicaFunction:
    """A step's block as a function of one replica: own arguments in, results out."""

    def __init__(self, call):
        self._call = call
        self._tracing = call.testee.tracing

    def __call__(self, mesh, arguments):
        """The replicas' results, stacked; what the block observes stays."""
        stacked = tree_map(lambda v: v.stacked if is_per_replica(v) else v, arguments)
        specs = tree_map(_spec, arguments)
        inner = {}

        def function(own):
            names = tree_map(_own_part, arguments, own)
            with self._tracing.collect() as observed:
                inner["environment"] = environment = self._call.inner(**names)
                self._call.run_block(environment)
                result = self._call.result(environment)
            return jax.tree.map(_as_row, (result, observed))

        on_replicas = jax.shard_map(function, mesh=mesh, in_specs=(specs,), out_specs=PartitionSpec(AXIS))
        results, observed = jax.jit(on_replicas)(stacked)
        rows = [own_rows(value) for value in observed]
        self._observe(inner["environment"], rows, len(mesh.local_devices))
        return results

    def _observe(self, inner, observed, replicas):
        plain = self._call.testee.plain
        for name in observation_names(self._call.argument("program")):
            own = [
                fill(inner.observations.get(name), lambda n, r=replica: observation_of(observed[n][r], plain))
                for replica in range(replicas)
            ]
            self._call.environment.observe(name, own)


@steps.step("strategy.reduce")
def reduce_(call):
    reduce_array = getattr(jnp, call.argument("op").lower())
    axes = (0,)
    if call.has("axis"):
        axis = call.argument("axis")
        own = axis if isinstance(axis, list) else [axis]
        axes = (0, *(one + 1 if one >= 0 else one for one in own))

    def reduced(value):
        if not is_per_replica(value):
            raise Unsupported("what does not differ by replica is one array")
        return reduce_array(value.stacked, axis=axes)

    return tree_map(reduced, call.value("of"))


@steps.step("strategy.gather")
def gather(call):
    value = call.find("of")
    if not is_per_replica(value):
        raise Unsupported("what does not differ by replica is one array")
    rows = [value.stacked[replica] for replica in range(value.stacked.shape[0])]
    # https://docs.jax.dev/en/latest/sharded-computation.html (functions of jax.numpy on divided arrays)
    return jnp.concatenate(rows, axis=call.argument("axis"))


@steps.step("strategy.local_results")
def local_results(call):
    value = call.find("of")
    leaves = jax.tree.leaves(value, is_leaf=is_per_replica)
    if not all(map(is_per_replica, leaves)):
        raise Unsupported("what does not differ by replica is one array")
    return [
        tree_map(lambda leaf, r=replica: own_rows(leaf.stacked)[r], value)
        for replica in range(len(own_rows(leaves[0].stacked)))
    ]


@steps.step("collective.all_reduce")
def all_reduce(call):
    return ALL_REDUCE[call.argument("op")](call.value("of"), AXIS)


@steps.step("collective.all_gather")
def all_gather(call):
    axis = call.argument("axis")
    return jax.lax.all_gather(call.value("of"), AXIS, axis=axis, tiled=True)


def _as_row(value):
    return jnp.asarray(value)[None]


def _spec(value):
    return PartitionSpec(AXIS) if is_per_replica(value) else PartitionSpec()


def _own_part(argument, own):
    return own[0] if is_per_replica(argument) else own


def _device(text):
    """The device called "CPU:1" in operations.md; JAX numbers them by kind."""
    kind, _, index = text.partition(":")
    return jax.devices(kind.lower())[int(index or 0)]
