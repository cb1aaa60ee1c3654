"""The optimizer and the schedule of `train.create` as a user of Keras makes them."""

import tensorflow as tf

from conformance.testees.tensorflow import optimizer_steps


def optimizer_of(request):
    """`request` is a TrainingRequest. Made in the scope of the strategy in force."""
    optimizer = _MAKERS[request.optimizer](request, **_options(request))
    if request.precision != "mixed_float16":
        return optimizer
    return tf.keras.mixed_precision.LossScaleOptimizer(
        optimizer, initial_scale=request.initial_scale, dynamic_growth_steps=request.growth_steps
    )


def _options(request):
    """Of every optimizer."""
    options = {"learning_rate": _rate(request)}
    if request.clip_norm is not None:
        options["global_clipnorm"] = float(request.clip_norm)
    if request.accumulate > 1:
        options["gradient_accumulation_steps"] = request.accumulate
    return options


def _rate(request):
    if request.rates is None:
        return float(request.learning_rate)
    rates = [float(rate) for rate in request.rates]
    # A boundary is the last step of its rate; steps count from 0.
    boundaries = list(range(len(rates) - 1))
    return tf.keras.optimizers.schedules.PiecewiseConstantDecay(boundaries, rates)


def _sgd(request, **options):
    return optimizer_steps.KINDS["sgd"](momentum=float(request.momentum), **options)


def _adam(request, **options):
    return optimizer_steps.KINDS["adam"](**options)


def _adamw(request, **options):
    decay = float(request.weight_decay)
    return tf.keras.optimizers.AdamW(weight_decay=decay, **options)


_MAKERS = {"sgd": _sgd, "adam": _adam, "adamw": _adamw}
