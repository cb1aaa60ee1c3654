"""Losses of PyTorch, and gradients that it gives for values."""

import torch
import torch.nn.functional

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.step_table import StepTable

steps = StepTable()

REDUCTIONS = {"none": "none", "sum": "sum", "sum_over_batch_size": "mean"}


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
        sources.append(call.environment.find(name).detach().requires_grad_())
        call.environment.bind(name, sources[-1])
    call.run_block_here()
    target = call.find("target")
    ones = torch.ones_like(target)
    return torch.autograd.grad(target, sources, ones, allow_unused=True)
