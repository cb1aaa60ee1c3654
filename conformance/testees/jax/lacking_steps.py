"""Steps that JAX and optax have nothing for, and why."""

from conformance.testees.python.step_table import StepTable

steps = StepTable()

_NO_DATASET = "JAX has no datasets; its documents feed it NumPy arrays"
_NO_LAYERS = "JAX has no layers and no policies: Flax is a library of its own"
_NO_SCALING = "optax scales no losses; it can only leave out updates that are not finite"
_NO_FILES = "JAX writes no checkpoints: Orbax is a library of its own"

_NO_SHARDS = "an array is divided by its sharding, which no context or spec tells of"
_NO_FIT = "JAX has no models, no fit and no callbacks: Flax is a library of its own"

_REASONS = {
    "strategy.merge_call": "inside a shard_map no replica acts for all",
    "strategy.distribute_datasets_from_function": _NO_DATASET,
    "input.cardinality": _NO_DATASET,
    "input.next_as_optional": "arrays are read with Python's iterators",
    "input.has_value": "arrays are read with Python's iterators",
    "input.get_value": "arrays are read with Python's iterators",
    "loss.compute_average": "a loss is the program's arithmetic, such as jnp.mean",
    "loss.scale_regularization": "a loss is the program's arithmetic, such as jnp.mean",
    "optimizer.with_loss_scale": _NO_SCALING,
    "optimizer.scale_loss": _NO_SCALING,
    "optimizer.loss_scale": _NO_SCALING,
    "optimizer.iterations": "optax counts steps where a rule needs it; sgd does not",
}

_GROUPS = {
    "callback": _NO_FIT,
    "checkpoint": _NO_FILES,
    "dataset": _NO_DATASET,
    "file": _NO_DATASET,
    "graph": "JAX traces functions; it has no graph that a session evaluates",
    "history": _NO_FIT,
    "input": _NO_SHARDS,
    "layer": _NO_LAYERS,
    "manager": _NO_FILES,
    "metric": "neither JAX nor optax has metrics",
    "model": _NO_FIT,
    "precision": _NO_LAYERS,
}

for _name, _reason in _REASONS.items():
    steps.lack(_name, _reason)
for _group, _reason in _GROUPS.items():
    steps.lack_group(_group, _reason)
