"""Variables: parameters that DistributedDataParallel keeps equal."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.per_rank import PerRank
from conformance.testees.python.step_table import StepTable

steps = StepTable()


class Variable(torch.nn.Module):
    """A model of one parameter. In a group it is wrapped, which sends rank 0's value to all.

    `is_shared`: others have it too, so that its gradients are DistributedDataParallel's.
    """

    def __init__(self, value, trainable):
        super().__init__()
        if trainable:
            self.tensor = torch.nn.Parameter(value)
        else:
            self.register_buffer("tensor", value)
        is_wrapped = trainable and dist.is_initialized()
        self.is_shared = is_wrapped and dist.get_world_size() > 1
        if is_wrapped:
            DistributedDataParallel(self)


@steps.step("variable.create")
def create(call):
    if call.argument("synchronization", "auto") != "auto":
        raise Unsupported("a parameter has no choice of when its copies meet")
    if call.argument("aggregation", "none") != "none":
        raise Unsupported("parameters aggregate nothing: what a rank assigns is its own")
    value = call.testee.literal(call.argument("value"), call.dtype())
    trainable = call.argument("trainable", value.is_floating_point())
    return Variable(value, trainable)


@steps.step("variable.create_random")
def create_random(call):
    return Variable(torch.randn(call.argument("shape")), trainable=True)


@steps.step("variable.read")
def read(call):
    return call.find("of").tensor.clone()


@steps.step("variable.copies")
def copies(call):
    own = call.find("of").tensor.detach().clone()
    return PerRank(own) if dist.is_initialized() else [own]


@steps.step("variable.assign")
def assign(call):
    with torch.no_grad():
        call.find("of").tensor.copy_(_own_value(call))


@steps.step("variable.assign_add")
def assign_add(call):
    with torch.no_grad():
        call.find("of").tensor.add_(_own_value(call))


@steps.step("variable.assign_sub")
def assign_sub(call):
    with torch.no_grad():
        call.find("of").tensor.sub_(_own_value(call))


def _own_value(call):
    return call.value("value", dtype=call.testee.dtype_of(call.find("of").tensor))
