"""Steps that JAX and optax have nothing for, and why."""

from conformance.testees.python.step_table import StepTable

steps = StepTable()

_NO_DATASET = "JAX has no datasets; its documents feed it NumPy arrays"
_NO_LAYERS = "JAX has no layers and no policies: Flax is a library of its own"
_NO_SCALING = "optax scales no losses; it can only leave out updates that are not finite"
_NO_FILES = "JAX writes no checkpoints: Orbax is a library of its own"

_REASONS = {
    "strategy.merge_call": "inside a shard_map no replica acts for all",
    "input.cardinality": _NO_DATASET,
    "input.next_as_optional": "arrays are read with Python's iterators",
    "input.has_value": "arrays are read with Python's iterators",
    "input.get_value": "arrays are read with Python's iterators",
    "loss.compute_average": "a loss is the program's arithmetic, such as jnp.mean",
    "loss.scale_regularization": "a loss is the program's arithmetic, such as jnp.mean",
    "precision.policy": _NO_LAYERS,
    "precision.set_policy": _NO_LAYERS,
    "layer.batch_normalization": _NO_LAYERS,
    "layer.dense": _NO_LAYERS,
    "layer.max_pooling": _NO_LAYERS,
    "layer.call": _NO_LAYERS,
    "layer.weight": _NO_LAYERS,
    "optimizer.with_loss_scale": _NO_SCALING,
    "optimizer.scale_loss": _NO_SCALING,
    "optimizer.loss_scale": _NO_SCALING,
    "optimizer.iterations": "optax counts steps where a rule needs it; sgd does not",
}
_REASONS |= {
    "dataset." + name: _NO_DATASET
    for name in (
        "from_generator",
        "zip",
        "padded_batch",
        "unbatch",
        "concatenate",
        "repeat",
        "take",
        "skip",
        "shuffle",
        "map",
        "filter",
        "enumerate",
        "cache",
        "prefetch",
    )
}
_REASONS |= {
    "checkpoint." + name: _NO_FILES
    for name in (
        "create",
        "save",
        "write",
        "restore",
        "latest",
        "assert_consumed",
        "assert_existing_objects_matched",
    )
}
_REASONS |= {
    "metric." + name: "neither JAX nor optax has metrics"
    for name in ("create", "update_state", "result", "reset_state")
}

for _name, _reason in _REASONS.items():
    steps.lack(_name, _reason)
