"""The optimizer of `train.create` as a user of optax puts it together."""

import optax

ADAM = {"b1": 0.9, "b2": 0.999, "eps": 1e-7}


def schedule_of(request):
    """The rate as a function of the optimizer's steps; `request` is a TrainingRequest."""
    if request.rates is None:
        return optax.constant_schedule(request.learning_rate)
    constants = [optax.constant_schedule(rate) for rate in request.rates]
    return optax.join_schedules(constants, boundaries=list(range(1, len(constants))))


def optimizer_of(request, schedule):
    """Clips what a step takes, then makes the step; MultiSteps puts batches together."""
    rule = _rule(request, schedule)
    if request.clip_norm is not None:
        rule = optax.chain(optax.clip_by_global_norm(request.clip_norm), rule)
    if request.accumulate > 1:
        return optax.MultiSteps(rule, every_k_schedule=request.accumulate)
    return rule


def steps_taken(state):
    """As the optimizer's own state counts them, where its rate is a schedule."""
    return optax.tree.get(state, "ScaleByScheduleState").count


def _rule(request, schedule):
    if request.optimizer == "sgd":
        return optax.sgd(schedule, momentum=request.momentum or None)
    if request.optimizer == "adam":
        return optax.adam(schedule, **ADAM)
    return optax.adamw(schedule, weight_decay=request.weight_decay, **ADAM)
