"""Steps that JAX and optax have nothing for, and why."""

from conformance.testees.python.step_table import StepTable

steps = StepTable()

_NO_DATASET = "Grain reads elements by their place, in sources that know how many they have"
_NO_POLICY = "Grain shards by a slice of the dataset that the program takes, and has no policies"
_NO_LAYERS = "JAX has no layers and no policies; of Flax this is asked for batch normalization alone"
_NO_SCALING = "optax scales no losses; it can only leave out updates that are not finite"
_NO_FILES = "Orbax writes a tree of arrays into a folder, not objects under a prefix"

_NO_VARIABLES = "arrays do not change: a step takes the weights and gives new ones"
_NO_SHARDS = "an array is divided by its sharding, which no context or spec reports"
_NO_FIT = "neither JAX nor Flax has a fit and its callbacks"

_REASONS = {
    "strategy.tpu_pod": "these are CPU devices: a mesh of them is no pod, and JAX simulates none",
    "strategy.merge_call": "inside a shard_map no replica acts for all",
    "strategy.distribute_datasets_from_function": _NO_SHARDS,
    "dataset.shuffle": "an epoch that begins again has the first order: others come by repeat",
    "dataset.filter": "after a filter Grain knows no places, and batches none by place",
    "dataset.cache": "Grain caches what is read in order, and nothing that is read by place",
    "dataset.interleave": "Grain interleaves what is read in order, not what is by place",
    "dataset.prefetch": "Grain prefetches where a dataset is read, by its ReadOptions",
    "dataset.unbatch": "Grain needs to know the most rows that an element can have",
    "dataset.with_options": _NO_POLICY,
    "dataset.padded_batch": "Grain stacks what has one shape; filling up is the program's",
    "input.cardinality": "a dataset is read batch by batch, and divided as it is read",
    "input.next_as_optional": "arrays are read with Python's iterators",
    "input.has_value": "arrays are read with Python's iterators",
    "input.get_value": "arrays are read with Python's iterators",
    "loss.compute_average": "a loss is the program's arithmetic, such as jnp.mean",
    "loss.scale_regularization": "a loss is the program's arithmetic, such as jnp.mean",
    "program.when": "a traced function branches by jax.lax.cond, whose branches give a value each",
    "optimizer.with_loss_scale": _NO_SCALING,
    "optimizer.scale_loss": _NO_SCALING,
    "optimizer.loss_scale": _NO_SCALING,
}

_GROUPS = {
    "callback": _NO_FIT,
    "checkpoint": _NO_FILES,
    "coordinator": "every process of JAX runs the same steps: none keeps arrays for others, or schedules for them",
    "counter": _NO_DATASET,
    "dataset": _NO_DATASET,
    "file": "neither JAX nor Grain writes files of examples",
    "function": "jit traces every shape by itself: it takes no signature that leaves dimensions open",
    "graph": "JAX traces functions; it has no graph that a session evaluates",
    "history": _NO_FIT,
    "input": _NO_SHARDS,
    "layer": _NO_LAYERS,
    "manager": _NO_FILES,
    "metric": "neither JAX nor optax has metrics",
    "model": _NO_FIT,
    "optimizer": _NO_VARIABLES,
    "partitioner": "an array is divided by its sharding, which names devices and no sizes",
    "precision": _NO_LAYERS,
    "saved_model": _NO_FIT,
    "schedule": _NO_VARIABLES,
    "variable": _NO_VARIABLES,
}

for _name, _reason in _REASONS.items():
    steps.unsupported(_name, _reason)
for _group, _reason in _GROUPS.items():
    steps.unsupported_group(_group, _reason)
