"""The optimizer and the schedule of `train.create` as a user of PyTorch makes them."""

import torch

ADAM = {"betas": (0.9, 0.999), "eps": 1e-7}


def optimizer_of(model, request):
    """Of the weights that are trained; `request` is a TrainingRequest."""
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    rate = _base_rate(request)
    if request.optimizer == "sgd":
        return torch.optim.SGD(trained, lr=rate, momentum=request.momentum)
    if request.optimizer == "adam":
        return torch.optim.Adam(trained, lr=rate, **ADAM)
    return torch.optim.AdamW(trained, lr=rate, weight_decay=request.weight_decay, **ADAM)


def schedule_of(optimizer, request):
    """A scheduler for the rates; one that changes nothing where there is one rate."""
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: request.rate_of(step) if request.rates else 1.0)


def _base_rate(request):
    """What a schedule's factors multiply: 1 for rates, so that they are the rates."""
    return 1.0 if request.rates else request.learning_rate
