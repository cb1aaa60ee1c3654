"""The model of `model.create` as a user of plain JAX writes it: functions of arrays. Flax normalizes batches."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

from conformance.testees.jax.per_replica import sharding

WEIGHTS = ("kernel", "bias", "table", "gamma", "beta")
ACTIVATIONS = {"relu": jax.nn.relu, "sigmoid": jax.nn.sigmoid, "tanh": jnp.tanh}


@dataclasses.dataclass
class Model:
    """What a ModelRequest describes; weights and buffers are a dictionary a layer.

    The weights that are trained and those that are not are two trees, since JAX
    differentiates by an argument. All lie whole on every device of the mesh.
    """

    request: Any
    trained: list
    frozen: list
    buffers: list

    @property
    def weights(self):
        return together(self.trained, self.frozen)

    def loss(self, trained, frozen, buffers, batch, dtype, calls):
        """(the batch's mean with the penalty, the buffers after it), for jax.grad."""
        weights = together(trained, frozen)
        losses = []
        for _ in range(calls):
            outputs, buffers = self._outputs(weights, buffers, batch["inputs"], dtype)
            losses.append(self.data_loss(outputs, batch["labels"], batch.get("weights")))
        # intents.md (train.create, calls; model.create, l2)
        return sum(losses) / calls + self._penalty(weights), buffers

    def data_loss(self, outputs, labels, weights=None):
        """The mean over all examples, each times its weight, or all tokens that count."""
        if not self.request.has_class_numbers:
            each = optax.losses.squared_error(outputs, labels)
            # intents.md (loader.create, weights)
            return jnp.mean(each if weights is None else each.mean(-1) * weights)
        each = optax.losses.softmax_cross_entropy_with_integer_labels(outputs, labels)
        # https://optax.readthedocs.io/en/latest/getting_started.html (the mean of the losses)
        return jnp.mean(each if weights is None else each * weights, where=self._counted(labels))

    def accuracy(self, outputs, labels):
        # https://docs.jax.dev/en/latest/notebooks/Neural_Network_and_Data_Loading.html (accuracy)
        return jnp.mean(outputs.argmax(-1) == labels, where=self._counted(labels))

    def predict(self, trained, frozen, buffers, inputs, dtype):
        """The outputs, normalized by the moving moments."""
        return self._outputs(together(trained, frozen), buffers, inputs, dtype, measures=True)[0]

    def _outputs(self, weights, buffers, inputs, dtype, measures=False):
        buffers = list(buffers)
        for place, layer in self.request.used_layers:
            inputs, buffers[place] = _pass(layer, weights[place], buffers[place], inputs, dtype, measures)
        return inputs.astype(jnp.float32), buffers

    def _counted(self, labels):
        return None if self.request.ignored is None else labels != self.request.ignored

    def _penalty(self, weights):
        kernels = [layer["kernel"] for layer in weights if "kernel" in layer]
        # intents.md (model.create, l2)
        return self.request.l2 * sum(jnp.sum(kernel**2) for kernel in kernels)


def model_of(request, mesh):
    """The model of a ModelRequest, its arrays copied to every device of the mesh."""
    weights = [_weights(layer) for layer in request.layers]
    trained = [layer.get("trainable", True) for layer in request.layers]
    parts = (
        [own if is_trained else {} for own, is_trained in zip(weights, trained)],
        [{} if is_trained else own for own, is_trained in zip(weights, trained)],
        [_buffers(layer) for layer in request.layers],
    )
    return Model(request, *jax.device_put(parts, sharding(mesh)))


def together(trained, frozen):
    return [own | others for own, others in zip(trained, frozen)]


def _weights(layer):
    return {name: np.array(layer[name], np.float32) for name in WEIGHTS if name in layer}


def _buffers(layer):
    if layer["kind"] == "centering":
        return {"seen": np.float32(0), "moving_mean": np.zeros(layer["size"], np.float32)}
    if layer["kind"] != "batch_normalization":
        return {}
    features = len(layer["gamma"])
    return {"moving_mean": np.zeros(features, np.float32), "moving_variance": np.ones(features, np.float32)}


def _pass(layer, weights, buffers, inputs, dtype, measures):
    """(the outputs, the buffers after them). A jitted program has one shape: jnp.where chooses who passes."""
    outputs, buffers = _apply(layer, weights, buffers, inputs, dtype, measures)
    return jnp.where(inputs[:, :1] > 0, outputs, inputs) if "where" in layer else outputs, buffers


def _apply(layer, weights, buffers, inputs, dtype, measures):
    if layer["kind"] == "batch_normalization":
        norm = _normalization(layer, weights, buffers, dtype, measures)
        return norm(inputs), {"moving_mean": norm.mean[...], "moving_variance": norm.var[...]}
    if layer["kind"] == "centering":
        return _centered(layer, buffers, inputs.astype(dtype), measures)
    weights = {name: array.astype(dtype) for name, array in weights.items()}
    if layer["kind"] == "embedding":
        return weights["table"][inputs], buffers
    # https://docs.jax.dev/en/latest/notebooks/Neural_Network_and_Data_Loading.html (predict)
    outputs = inputs.astype(dtype) @ weights["kernel"] + weights.get("bias", 0)
    return ACTIVATIONS.get(layer.get("activation"), lambda x: x)(outputs), buffers


def _normalization(layer, weights, moments, dtype, measures):
    """Flax's layer with these weights and moments: flax.readthedocs.io/en/latest/nnx_basics.html (nnx.update)."""
    norm = nnx.BatchNorm(
        len(layer["gamma"]),
        use_running_average=measures,
        momentum=layer.get("momentum", 0.9),
        epsilon=layer.get("epsilon", 0.001),
        dtype=dtype,
        rngs=nnx.Rngs(0),
    )
    given = {"scale": weights["gamma"], "bias": weights["beta"]}
    nnx.update(norm, given | {"mean": moments["moving_mean"], "var": moments["moving_variance"]})
    return norm


def _centered(layer, buffers, inputs, measures):
    """A layer of the program's own: inputs pass while it learns their mean, which is taken from them in measuring."""
    if measures:
        return inputs - buffers["moving_mean"].astype(inputs.dtype), buffers  # intents.md (model.create, centering)
    kept = layer.get("momentum", 0.9)
    batch = inputs.astype(jnp.float32).mean(tuple(range(inputs.ndim - 1)))  # intents.md (model.create, centering)
    mean = kept * buffers["moving_mean"] + (1 - kept) * batch  # intents.md (model.create, centering)
    return inputs, {"seen": buffers["seen"] + len(inputs), "moving_mean": mean}  # intents.md (model.create, centering)
