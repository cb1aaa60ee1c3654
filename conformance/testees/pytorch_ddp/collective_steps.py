"""Collectives: those of torch.distributed, and its differentiable ones inside a run."""

import os

import torch
import torch.distributed as dist
import torch.distributed.nn.functional as differentiable

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.per_rank import local_part
from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("strategy.reduce")
def reduce_(call):
    if call.has("axis"):
        raise Unsupported("torch.distributed reduces entry by entry only")
    return _reduced(local_part(call.value("of")), call.argument("op"))


@steps.step("collective.all_reduce")
def all_reduce(call):
    op = _reduction(call.argument("op"))
    return differentiable.all_reduce(call.value("of"), op=op)


@steps.step("strategy.gather")
def gather(call):
    own = local_part(call.find("of"))
    # operations.md (collective.all_gather, axis)
    return torch.cat(_all_gathered(own), dim=call.argument("axis"))


@steps.step("collective.all_gather")
def all_gather(call):
    own, axis = call.value("of"), call.argument("axis")
    if own.requires_grad:
        # operations.md (collective.all_gather, axis)
        return torch.cat(differentiable.all_gather(own), dim=axis)
    # operations.md (collective.all_gather, axis)
    return torch.cat(_all_gathered(own), dim=axis)


@steps.step("strategy.local_results")
def local_results(call):
    of_machine, _ = dist.new_subgroups(int(os.environ["LOCAL_WORLD_SIZE"]))
    results = [None] * of_machine.size()
    dist.all_gather_object(results, local_part(call.find("of")), of_machine)
    return results


def _reduced(value, name):
    """A reduced copy; structures leaf by leaf."""
    if isinstance(value, dict):
        return {key: _reduced(item, name) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_reduced(item, name) for item in value)
    reduced = value.detach().clone()
    dist.all_reduce(reduced, op=_reduction(name))
    return reduced


def _reduction(name):
    """The reduction of this name; AttributeError where PyTorch has none."""
    return getattr(dist.ReduceOp, {"MEAN": "AVG"}.get(name.upper(), name.upper()))


def _all_gathered(own):
    """Every rank's tensor, into tensors of the right sizes as all_gather asks for."""
    shapes = [None] * dist.get_world_size()
    dist.all_gather_object(shapes, own.shape)
    parts = [torch.empty(shape, dtype=own.dtype) for shape in shapes]
    dist.all_gather(parts, own.contiguous())
    return parts
