"""The optimizer and the schedule of `train.create` as a user of PyTorch makes them."""

import torch

ADAM = {"betas": (0.9, 0.999), "eps": 1e-7}


def optimizer_of(model, wish):
    """Of the weights that are trained; `wish` is a TrainingWish."""
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    rate = _base_rate(wish)
    if wish.optimizer == "sgd":
        return torch.optim.SGD(trained, lr=rate, momentum=wish.momentum)
    if wish.optimizer == "adam":
        return torch.optim.Adam(trained, lr=rate, **ADAM)
    return torch.optim.AdamW(trained, lr=rate, weight_decay=wish.weight_decay, **ADAM)


def schedule_of(optimizer, wish):
    """A scheduler for the rates; one that changes nothing where there is one rate."""
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: wish.rate_of(step) if wish.rates else 1.0)


def _base_rate(wish):
    """What a schedule's factors multiply: 1 for rates, so that they are the rates."""
    return 1.0 if wish.rates else wish.learning_rate
