"""Variables: parameters that DistributedDataParallel keeps equal."""

import contextlib

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.step_table import StepTable
from conformance.testees.pytorch_ddp.per_rank import PerRank

steps = StepTable()


class Variable(torch.nn.Module):
    """A model of one parameter, whose output is that parameter.

    In a group it is wrapped, which sends rank 0's value to the others. Back through the
    wrapped model go gradients, which DistributedDataParallel averages over the ranks.
    """

    def __init__(self, value, trainable):
        super().__init__()
        if trainable:
            self.tensor = torch.nn.Parameter(value)
        else:
            self.register_buffer("tensor", value)
        self.is_wrapped = trainable and dist.is_initialized()
        # In a list, so that the wrapper is no part of the model that it wraps.
        self._model = [DistributedDataParallel(self) if self.is_wrapped else self]

    @property
    def model(self):
        """What computes: the wrapper, or this itself."""
        return self._model[0]

    @contextlib.contextmanager
    def no_sync(self):
        """As the wrapper has it, for a model that is not wrapped."""
        yield

    def forward(self):
        return self.tensor.clone()

    def combine(self, gradient, is_final=False):
        """Gives the parameter what the ranks' gradients combine to, or the final one."""
        alone = self.model.no_sync if is_final else contextlib.nullcontext
        with alone():
            self.model().backward(gradient.detach())


@steps.step("variable.create")
def create(call):
    if call.argument("synchronization", "auto") != "auto":
        raise Unsupported("a parameter has no choice of when its copies meet")
    if call.argument("aggregation", "none") != "none":
        raise Unsupported("parameters aggregate nothing: what a rank assigns is its own")
    value = call.testee.literal(call.argument("value"), call.dtype())
    trainable = call.argument("trainable", value.is_floating_point())
    return _made_known(call, Variable(value, trainable))


@steps.step("variable.create_random")
def create_random(call):
    value = torch.randn(call.argument("shape"))
    return _made_known(call, Variable(value, trainable=True))


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


def _made_known(call, variable):
    if variable.is_wrapped:
        call.testee.wrapped_models.append(variable.model)
    return variable


def _own_value(call):
    return call.value("value", dtype=call.testee.dtype_of(call.find("of").tensor))
