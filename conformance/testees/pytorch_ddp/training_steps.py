"""Losses, gradients and optimizers of PyTorch."""

import torch
import torch.nn.functional

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.step_table import StepTable
from conformance.testees.pytorch_ddp.variable_steps import Variable

steps = StepTable()

REDUCTIONS = {"none": "none", "sum": "sum", "sum_over_batch_size": "mean"}
# With the defaults of operations.md, which are not PyTorch's.
OPTIMIZERS = {
    "sgd": (torch.optim.SGD, {}),
    "adam": (torch.optim.Adam, {"eps": 1e-7}),
    "rms_prop": (torch.optim.RMSprop, {"alpha": 0.9, "eps": 1e-7}),
}
# What operations.md calls an option, and PyTorch.
OPTIONS = {"momentum": "momentum", "nesterov": "nesterov", "epsilon": "eps"}
_CLIPPING = "clipping is a call of its own between backward and step"
LACKING_OPTIONS = {
    "schedule": "a scheduler of PyTorch changes the rate when it is called, not the step",
    "clipnorm": _CLIPPING,
    "global_clipnorm": _CLIPPING,
    "clipvalue": _CLIPPING,
    "use_ema": "torch.optim averages nothing: swa_utils averages a module, which no variable here is of",
    "weight_decay": "torch.optim adds it to the gradient, where momentum sees it",
}


@steps.step("loss.compute")
def compute(call):
    if call.argument("reduction") not in REDUCTIONS:
        raise Unsupported("its losses have no reduction of this name")
    reduction = REDUCTIONS[call.argument("reduction")]
    labels, predictions = call.value("labels"), call.value("predictions")
    if call.has("sample_weight"):
        raise Unsupported("its losses weigh classes, not examples")
    if call.argument("kind") == "mean_absolute_error":
        return torch.nn.functional.l1_loss(predictions, labels, reduction=reduction)
    if call.argument("kind") == "mean_squared_error":
        return torch.nn.functional.mse_loss(predictions, labels, reduction=reduction)
    return torch.nn.functional.cross_entropy(predictions, labels.long(), reduction=reduction)


@steps.step("gradient.tape")
def tape(call):
    sources = []
    for name in call.argument("sources"):
        value = call.environment.find(name)
        if isinstance(value, Variable):
            _refuse_shared(value)
            sources.append(value.tensor)
        else:
            sources.append(value.detach().requires_grad_())
            call.environment.bind(name, sources[-1])
    call.run_block_here()
    target = call.find("target")
    ones = torch.ones_like(target)
    return torch.autograd.grad(target, sources, ones, allow_unused=True)


@steps.step("optimizer.create")
def create(call):
    for option, reason in LACKING_OPTIONS.items():
        if call.has(option):
            raise Unsupported(reason)
    if call.argument("kind") not in OPTIMIZERS:
        raise Unsupported("it is told all its parameters when it is made")
    make, options = OPTIMIZERS[call.argument("kind")]
    options = options | {"lr": call.argument("learning_rate")}
    for name, ours in OPTIONS.items():
        if call.has(name):
            options[ours] = call.argument(name)
    if call.has("beta_1") or call.has("beta_2"):
        betas = call.argument("beta_1", 0.9), call.argument("beta_2", 0.999)
        options["betas"] = betas
    return make([{"params": []}], **options)


@steps.step("optimizer.learning_rate")
def learning_rate(call):
    return call.find("of").param_groups[0]["lr"]


@steps.step("optimizer.set_learning_rate")
def set_learning_rate(call):
    call.find("of").param_groups[0]["lr"] = call.argument("value")


@steps.step("optimizer.apply_gradients")
def apply_gradients(call):
    variables = call.find_all("variables")
    for variable, gradient in zip(variables, call.values("gradients")):
        if not call.argument("skip_aggregation", False):
            _refuse_shared(variable)
        # A copy, since a scaler divides it in its place.
        variable.tensor.grad = None if gradient is None else gradient.detach().clone()
    optimizer = call.find("of")
    _add_parameters(optimizer, [variable.tensor for variable in variables])
    optimizer.step()
    optimizer.zero_grad()


def _refuse_shared(variable):
    if variable.is_shared:
        raise Unsupported("DistributedDataParallel combines gradients in backward() alone")


def _add_parameters(optimizer, parameters):
    known = {id(parameter) for parameter in optimizer.param_groups[0]["params"]}
    new = [parameter for parameter in parameters if id(parameter) not in known]
    optimizer.param_groups[0]["params"] += new
