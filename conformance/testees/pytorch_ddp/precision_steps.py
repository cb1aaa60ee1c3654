"""Loss scaling by torch.amp.GradScaler."""

import torch

from conformance.testees.python.step_table import StepTable

steps = StepTable()


class ScaledOptimizer:
    """An optimizer whose steps a GradScaler takes; it scales the loss from the first on."""

    def __init__(self, optimizer, **options):
        self._optimizer = optimizer
        self._scaler = torch.amp.GradScaler("cpu", **options)
        self._scaler.scale(torch.zeros(()))  # makes the scale

    @property
    def param_groups(self):
        return self._optimizer.param_groups

    @property
    def scale(self):
        return self._scaler.get_scale()

    def scale_loss(self, loss):
        return self._scaler.scale(loss)

    def step(self):
        self._scaler.step(self._optimizer)
        self._scaler.update()

    def zero_grad(self):
        self._optimizer.zero_grad()


@steps.step("optimizer.with_loss_scale")
def with_loss_scale(call):
    options = {}
    if call.has("initial_scale"):
        options["init_scale"] = float(call.argument("initial_scale"))
    if call.has("dynamic_growth_steps"):
        options["growth_interval"] = call.argument("dynamic_growth_steps")
    return ScaledOptimizer(call.find("of"), **options)


@steps.step("optimizer.scale_loss")
def scale_loss(call):
    return call.find("of").scale_loss(call.value("loss"))


@steps.step("optimizer.loss_scale")
def loss_scale(call):
    return call.find("of").scale
