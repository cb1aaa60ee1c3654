"""Values, and the part of a program that each rank runs."""

import torch
import torch.distributed as dist

from conformance.testees.python import value_steps
from conformance.testees.python.environment import observation_names
from conformance.testees.python.errors import StepError, Unsupported
from conformance.testees.python.per_rank import PerRank, local_part, mark, spread
from conformance.testees.python.step_table import StepTable

steps = StepTable(
    value_steps.steps,
    value_steps.arithmetic(
        add=torch.add, multiply=torch.mul, divide=torch.div, square=torch.square, sum_=torch.sum, mean=torch.mean
    ),
)


@steps.step("strategy.run")
def run(call):
    if call.testee.in_run or call.find("of", dist.group.WORLD) is not dist.group.WORLD:
        raise Unsupported("a rank is one replica and has none within")
    names = {name: local_part(value) for name, value in call.bindings("args").items()}
    inner = call.inner(**names)
    call.testee.in_run = True
    try:
        call.run_block(inner)
        result = call.result(inner)
    finally:
        call.testee.in_run = False
    for name in observation_names(call.argument("program")):
        call.environment.observe(name, mark(inner.observations.get(name)))
    return spread(result)


@steps.step("strategy.num_replicas_in_sync")
def num_replicas_in_sync(call):
    return dist.get_world_size(call.find("of", None))


@steps.step("strategy.context")
def context(call):
    if not call.testee.in_run:
        raise Unsupported("a rank is a replica from the program's beginning on")
    return {
        "has_strategy": dist.is_initialized(),
        "in_cross_replica_context": False,
        "num_replicas_in_sync": torch.tensor(float(dist.get_world_size())),
        "replica_id_in_sync_group": torch.tensor(float(dist.get_rank())),
    }


@steps.step("strategy.distribute_values")
def distribute_values(call):
    if not call.has("values"):
        return _distribute_ids()
    own = call.argument("values")[dist.get_rank()]
    return PerRank(call.testee.literal(own, call.dtype()))


def _distribute_ids():
    pair = (dist.get_rank(), dist.get_world_size())
    return tuple(PerRank(torch.tensor(value, dtype=torch.int32)) for value in pair)


@steps.step("value.shape")
def shape(call):
    return _each_leaf(call.value("of"), lambda leaf: list(leaf.shape))


@steps.step("value.dtype")
def dtype(call):
    return _each_leaf(call.value("of"), call.testee.dtype_of)


@steps.step("value.cast")
def cast(call):
    return call.value("of").to(getattr(torch, call.dtype()))


@steps.step("value.fail")
def fail(call):
    if call.argument("on_replica", None) in (None, _own_rank()):
        raise StepError("InvalidArgument", "the program says so", "value.fail")


def _own_rank():
    return dist.get_rank() if dist.is_initialized() else 0


def _each_leaf(value, function):
    if isinstance(value, PerRank):
        return PerRank(_each_leaf(value.local, function))
    if isinstance(value, dict):
        return {key: _each_leaf(item, function) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_each_leaf(item, function) for item in value)
    return function(value)
