"""The optimizer and the schedule of `train.create` as a user of Keras makes them."""

import tensorflow as tf

from conformance.testees.tensorflow import optimizer_steps


def optimizer_of(wish):
    """`wish` is a TrainingWish. Made in the scope of the strategy in force."""
    optimizer = _MAKERS[wish.optimizer](wish, **_options(wish))
    if wish.precision != "mixed_float16":
        return optimizer
    return tf.keras.mixed_precision.LossScaleOptimizer(
        optimizer, initial_scale=wish.initial_scale, dynamic_growth_steps=wish.growth_steps
    )


def _options(wish):
    """Of every optimizer."""
    options = {"learning_rate": _rate(wish)}
    if wish.clip_norm is not None:
        options["global_clipnorm"] = float(wish.clip_norm)
    if wish.accumulate > 1:
        options["gradient_accumulation_steps"] = wish.accumulate
    return options


def _rate(wish):
    if wish.rates is None:
        return float(wish.learning_rate)
    rates = [float(rate) for rate in wish.rates]
    # A boundary is the last step of its rate; steps count from 0.
    boundaries = list(range(len(rates) - 1))
    return tf.keras.optimizers.schedules.PiecewiseConstantDecay(boundaries, rates)


def _sgd(wish, **options):
    return optimizer_steps.KINDS["sgd"](momentum=float(wish.momentum), **options)


def _adam(wish, **options):
    return optimizer_steps.KINDS["adam"](**options)


def _adamw(wish, **options):
    decay = float(wish.weight_decay)
    return tf.keras.optimizers.AdamW(weight_decay=decay, **options)


_MAKERS = {"sgd": _sgd, "adam": _adam, "adamw": _adamw}
