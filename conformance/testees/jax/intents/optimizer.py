"""The optimizer of `train.create` as a user of optax puts it together."""

import optax

ADAM = {"b1": 0.9, "b2": 0.999, "eps": 1e-7}


def schedule_of(wish):
    """The rate as a function of the optimizer's steps; `wish` is a TrainingWish."""
    if wish.rates is None:
        return optax.constant_schedule(wish.learning_rate)
    constants = [optax.constant_schedule(rate) for rate in wish.rates]
    return optax.join_schedules(constants, boundaries=list(range(1, len(constants))))


def optimizer_of(wish, schedule):
    """Clips what a step takes, then makes the step; MultiSteps puts batches together."""
    rule = _rule(wish, schedule)
    if wish.clip_norm is not None:
        rule = optax.chain(optax.clip_by_global_norm(wish.clip_norm), rule)
    if wish.accumulate > 1:
        return optax.MultiSteps(rule, every_k_schedule=wish.accumulate)
    return rule


def steps_taken(state):
    """As the optimizer's own state counts them, where its rate is a schedule."""
    return optax.tree.get(state, "ScaleByScheduleState").count


def _rule(wish, schedule):
    if wish.optimizer == "sgd":
        return optax.sgd(schedule, momentum=wish.momentum or None)
    if wish.optimizer == "adam":
        return optax.adam(schedule, **ADAM)
    return optax.adamw(schedule, weight_decay=wish.weight_decay, **ADAM)
